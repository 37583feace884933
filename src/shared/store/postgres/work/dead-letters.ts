import { executionIdFromUuid, type TenantId, type WorkItemId } from '../../../domain/ids.ts';
import type { WorkQueue } from '../../../domain/work/work-item.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { DeadLetter, WorkStore } from '../../work.ts';
import { appendAudit } from '../audit/append.ts';
import { TOOL_KEY_MAX } from '../../../domain/work/claim-filter.ts';
import type { ClaimWatermarks } from './claim-watermarks.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

export async function listDeadLetters(
  readers: PostgresPool,
  params: Parameters<WorkStore['listDeadLetters']>[0],
): Promise<readonly DeadLetter[]> {
  const rows = await readers.run<DeadLetterRecord>(
    params.workflowId === undefined || params.workflowId === null
      ? LIST_DEAD_LETTERS
      : LIST_OF_WORKFLOW,
    [
      params.tenantId,
      params.before,
      params.limit,
      params.workflowId ?? null,
      params.nodeId ?? null,
      params.cursor?.deadLetteredAt ?? null,
      params.cursor?.workItemId ?? null,
    ],
    params.tenantId,
  );
  return rows.map(decodeLetter);
}

export async function findDeadLetter(
  pool: PostgresPool,
  id: WorkItemId,
  tenantId: TenantId,
): Promise<DeadLetter | null> {
  const [row] = await pool.run<DeadLetterRecord>(FIND_DEAD_LETTER, [id, tenantId]);
  return row === undefined ? null : decodeLetter(row);
}

function decodeLetter(row: DeadLetterRecord): DeadLetter {
  return {
    workItemId: row.work_item_id,
    executionId: executionIdFromUuid(row.execution_id),
    nodeId: row.node_id,
    queue: row.queue,
    tool: row.tool,
    attempt: row.attempt,
    error: row.error,
    deadLetteredAt: row.dead_lettered_at,
  };
}

interface DeadLetterRecord {
  readonly work_item_id: WorkItemId;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue: WorkQueue;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  readonly dead_lettered_at: string;
}

const LETTER_COLUMNS = `d.work_item_id, d.execution_id, d.node_id, d.queue, d.tool, d.attempt, d.error,
      d.dead_lettered_at`;

const FIND_DEAD_LETTER: Statement = {
  name: 'find-dead-letter',
  writes: false,
  text: `
    select ${LETTER_COLUMNS}
    from dead_letters d
    where d.work_item_id = $1
      and d.tenant_id = $2`,
};

const LIST_DEAD_LETTERS = listStatement('list-dead-letters', '$4::text is null');
const LIST_OF_WORKFLOW = listStatement('list-dead-letters-of-workflow', 'd.workflow_id = $4::text');

/** Each kind of list has a statement of its own, so that its plan uses its index. */
function listStatement(name: string, which: string): Statement {
  return {
    name,
    writes: false,
    text: `
    select ${LETTER_COLUMNS}
    from dead_letters d
    where d.tenant_id = $1
      and ($2::timestamptz is null or d.dead_lettered_at < $2::timestamptz)
      and ($5::text is null or d.node_id = $5)
      and ($6::timestamptz is null or (d.dead_lettered_at, d.work_item_id) < ($6, $7::uuid))
      and ${which}
    order by d.dead_lettered_at desc, d.work_item_id desc
    limit $3`,
  };
}

type Requeued = Awaited<ReturnType<WorkStore['requeue']>>;

export async function requeue(
  pool: PostgresPool,
  watermarks: ClaimWatermarks,
  params: Parameters<WorkStore['requeue']>[0],
): Promise<Requeued> {
  const [row] = await pool.run<{
    readonly outcome: Requeued;
    readonly queue_key: string;
  }>(REQUEUE, [
    params.workItemId,
    params.tenantId,
    params.expectedSequence,
    newAuditId(),
    params.actorId,
  ]);
  if (row === undefined) return 'missing';
  if (row.outcome === 'requeued') watermarks.reset(row.queue_key);
  return row.outcome;
}

/*
 * Takes the execution's lock like a commit and touches the row, so that a commit that revokes
 * everything sees the item, or detects the race.
 */
const REQUEUE: Statement = {
  name: 'requeue-item',
  writes: true,
  text: `
    with item as materialized (
      select i.work_item_id, i.execution_id, i.tenant_id, i.node_id, i.visit, i.queue,
        i.idempotency_key, i.node_timeout_ms, i.schedule_to_start_ms, i.queue_name,
        left(i.tool, ${TOOL_KEY_MAX}) as tool,
        i.tenant_id || '/' || i.queue || coalesce('/' || i.queue_name, '') as queue_key
      from work_items i
      where i.work_item_id = $1
        and i.tenant_id = $2
    ),
    execution as materialized (
      select e.id, e.status, e.shard, e.priority, e.last_sequence
      from executions e
      where e.id = any(array(select execution_id from item))
      for no key update
    ),
    letter as materialized (
      select d.work_item_id
      from dead_letters d
      where d.work_item_id = $1
        and (select count(*) from execution) > 0
        and not exists (select from work_queue q where q.work_item_id = $1)
        and not exists (
          select
          from work_leases l
          where l.work_item_id = $1
            and l.execution_id = any(array(select execution_id from item))
        )
        and not exists (select from retry_timers r where r.work_item_id = $1)
      for update
    ),
    verdict as materialized (
      select
        case
          when (select count(*) from letter) = 0 then 'not_dead'
          when e.status in ('completed', 'failed', 'cancelled') then 'ended'
          when e.last_sequence <> $3::int4 then 'moved'
          else 'requeued'
        end as outcome
      from execution e
    ),
    unburied as (
      delete from dead_letters d
      where d.work_item_id = $1
        and exists (select from verdict where outcome = 'requeued')
      returning d.work_item_id
    ),
    touched as (
      update executions e
      set updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), e.updated_at)
      where e.id = any(array(select execution_id from item))
        and exists (select from unburied)
    ),
    clock as materialized (
      select clock_timestamp() as instant
    ),
    enqueued as (
      insert into work_queue (
        queue_key, queue_name, tool, shard, start_before, enqueued_at, work_item_id, execution_id,
        tenant_id, node_id, visit, attempt, queue, priority, idempotency_key, node_timeout_ms, schedule_to_start_ms
      )
      select i.queue_key, i.queue_name, i.tool, e.shard,
        (select instant from clock) + i.schedule_to_start_ms * interval '1 millisecond',
        (select instant from clock), i.work_item_id, i.execution_id, i.tenant_id, i.node_id,
        i.visit, 0, i.queue, e.priority, i.idempotency_key, i.node_timeout_ms,
        i.schedule_to_start_ms
      from item i
      cross join execution e
      where exists (select from unburied)
    ),
    audited as (${appendAudit({
      auditId: '$4::uuid',
      tenantId: 'i.tenant_id',
      executionId: 'i.execution_id',
      eventType: `'work_item_requeued'`,
      actorId: '$5::text',
      payload: `json_build_object('work_item_id', i.work_item_id, 'node_id', i.node_id)`,
      from: 'item i where exists (select from unburied)',
    })})
    select coalesce((select v.outcome from verdict v), 'missing') as outcome, i.queue_key
    from item i`,
};
