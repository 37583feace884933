import { isTerminal, type ExecutionStatus } from '../../../domain/execution/status.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../../../domain/ids.ts';
import type { WorkQueue } from '../../../domain/work/work-item.ts';
import type { DeadLetter, WorkStore } from '../../work.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { enqueue, findNames } from './queue.ts';
import { toIso, decodeTicket, type TicketRecord } from '../rows.ts';

interface RawDeadLetter {
  readonly work_item_id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue: WorkQueue;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  readonly dead_lettered_at: number;
}

const LETTER_COLUMNS =
  'work_item_id, execution_id, node_id, queue, tool, attempt, error, dead_lettered_at';

export function listDeadLetters(
  connection: Connection,
  params: Parameters<WorkStore['listDeadLetters']>[0],
): readonly DeadLetter[] {
  const { tenantId, limit, before, workflowId = null, nodeId = null, cursor = null } = params;
  return connection
    .all<RawDeadLetter>(
      `select ${LETTER_COLUMNS}
       from dead_letters ${workflowId === null ? '' : 'indexed by dead_letters_by_workflow'}
       where tenant_id = :tenant_id
         ${workflowId === null ? '' : 'and workflow_id = :workflow_id'}
         and (:before is null or dead_lettered_at < :before)
         and (:node_id is null or node_id = :node_id)
         and (:after_at is null or (dead_lettered_at, work_item_id) < (:after_at, :after_id))
       order by dead_lettered_at desc, work_item_id desc
       limit :limit`,
      {
        tenant_id: tenantId,
        limit,
        before: before === null ? null : Date.parse(before),
        ...(workflowId !== null && { workflow_id: workflowId }),
        node_id: nodeId,
        after_at: cursor === null ? null : Date.parse(cursor.deadLetteredAt),
        after_id: cursor?.workItemId ?? null,
      },
    )
    .map(decodeLetter);
}

export function findDeadLetter(
  connection: Connection,
  id: WorkItemId,
  tenantId: TenantId,
): DeadLetter | null {
  const row = connection.get<RawDeadLetter>(
    `select ${LETTER_COLUMNS}
     from dead_letters
     where work_item_id = :id and tenant_id = :tenant_id`,
    { id, tenant_id: tenantId },
  );
  return row === undefined ? null : decodeLetter(row);
}

function decodeLetter(row: RawDeadLetter): DeadLetter {
  return {
    workItemId: row.work_item_id as WorkItemId,
    executionId: row.execution_id as ExecutionId,
    nodeId: row.node_id,
    queue: row.queue,
    tool: row.tool,
    attempt: row.attempt,
    error: row.error,
    deadLetteredAt: toIso(row.dead_lettered_at),
  };
}

interface RawRequeueable extends TicketRecord {
  readonly shard: number;
  readonly status: ExecutionStatus;
  readonly last_sequence: number;
  readonly dead: number;
}

export function requeue(
  connection: Connection,
  params: Parameters<WorkStore['requeue']>[0],
): Awaited<ReturnType<WorkStore['requeue']>> {
  const { workItemId: id, tenantId } = params;
  const row = connection.get<RawRequeueable>(
    `select item.work_item_id, item.execution_id, item.tenant_id, item.node_id, item.visit,
       0 as attempt, item.queue, execution.priority, item.idempotency_key, item.node_timeout_ms,
       item.schedule_to_start_ms, execution.shard, execution.status,
       execution.last_sequence,
       exists (select 1 from dead_letters where work_item_id = item.work_item_id)
         and not exists (select 1 from work_queue where work_item_id = item.work_item_id)
         and not exists (select 1 from work_leases where work_item_id = item.work_item_id)
         and not exists (select 1 from retry_timers where work_item_id = item.work_item_id)
         as dead
     from work_items as item
     join executions as execution on execution.id = item.execution_id
     where item.work_item_id = :id and item.tenant_id = :tenant_id`,
    { id, tenant_id: tenantId },
  );
  if (row === undefined) return 'missing';
  if (row.dead === 0) return 'not_dead';
  if (isTerminal(row.status)) return 'ended';
  if (row.last_sequence !== params.expectedSequence) return 'moved';
  connection.run('delete from dead_letters where work_item_id = :id', { id });
  const { ticket, tool } = findNames(connection, decodeTicket(row));
  enqueue(connection, { ticket, tool, shard: row.shard, now: connection.now() });
  appendAudit(connection, {
    tenantId,
    executionId: row.execution_id as ExecutionId,
    eventType: 'work_item_requeued',
    actorId: params.actorId,
    payload: { work_item_id: id, node_id: row.node_id },
  });
  return 'requeued';
}
