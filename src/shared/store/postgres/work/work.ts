import type { DefinitionId, TenantId, WorkItemId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { ClaimRef, FoundWorkItem, WorkStore } from '../../work.ts';
import { appendAudit } from '../audit/append.ts';
import { claimInTurns } from './claim-in-turns.ts';
import type { ClaimWatermarks } from './claim-watermarks.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { gatherReads } from '../connection/gather-reads.ts';
import { findDeadLetter, listDeadLetters, requeue } from './dead-letters.ts';
import { claim } from './leases.ts';
import { listClaimed } from './list-claimed.ts';
import { createWaitingTools } from './waiting-tools.ts';
import {
  decodeLease,
  decodeRecord,
  decodeTicket,
  leaseColumns,
  tenantIsActive,
  ticketColumns,
  toUuid,
  type LeaseRecord,
  type RecordColumns,
  type TicketRecord,
} from '../rows.ts';
import { lapsedLeases } from './lease-sql.ts';
import { renew } from './renew-leases.ts';

/** The leases that one round looks at too early; the next round takes the others. */
const LOOKS_MAX = 1_000;

export function createWorkStore(
  pool: PostgresPool,
  readers: PostgresPool,
  watermarks: ClaimWatermarks,
): WorkStore {
  const means = { pool, watermarks, waitingTools: createWaitingTools(pool) };
  const find = gatherReads((keys: readonly ItemKey[]) => findItems(pool, keys));
  const listClaims = gatherReads((claims: readonly ClaimRef[]) => listClaimed(pool, claims));
  return {
    claim: async (request) => {
      const { heldOf } = request;
      if (heldOf !== undefined) return claimInTurns(pool, { ...request, heldOf });
      const [items = []] = await claim(means, { ...request, claimers: [request] });
      return items;
    },
    noteAdded: (queueKey) => watermarks.turns.note(queueKey),
    claimTogether: (request) => claim(means, request),
    listClaimed: (ref) => listClaims(ref),
    renew: (leases) => renew(pool, leases),
    find: (id, tenantId) => find({ id, tenantId }),

    async listHeld({ workerId, executionId }) {
      const rows =
        executionId === null
          ? await readers.run<LeaseRecord>(HELD_LEASES, [workerId])
          : await pool.run<LeaseRecord>(HELD_LEASES_OF_ONE, [workerId, toUuid(executionId)]);
      return rows.map(decodeLease);
    },

    async listExpiredLeases({ limit }) {
      const rows = await pool.run<LeaseRecord>(EXPIRED_LEASES, [limit]);
      return rows.map(decodeLease);
    },

    async listOverdueQueued({ limit }) {
      const rows = await pool.run<TicketRecord>(OVERDUE_QUEUED, [limit]);
      return rows.map(decodeTicket);
    },

    settleUnfenced: (params) => settleUnfenced(pool, params),
    recordedOutput: (params) => findRecordedOutput(pool, params),
    listDeadLetters: (params) => listDeadLetters(readers, params),
    findDeadLetter: (id, tenantId) => findDeadLetter(pool, id, tenantId),
    requeue: (params) => requeue(pool, watermarks, params),
  };
}

/**
 * A lease never runs past its deadline, so `expires_at` alone decides. Leases that were due for a
 * look, but have been renewed or have moved since, are due again at their end.
 */
const EXPIRED_LEASES: Statement = {
  name: 'list-expired-leases',
  writes: true,
  text: `
    with clock as materialized (
      select clock_timestamp() as instant
    ),
    early as materialized (
      select l.ctid as place
      from leases l
      where l.look_at <= (select instant from clock)
        and l.expires_at > (select instant from clock)
      order by l.look_at
      limit ${LOOKS_MAX}
      for no key update skip locked
    ),
    postponed as (
      update leases l
      set look_at = l.expires_at
      where l.ctid = any(array(select place from early))
    )
    select ${leaseColumns('l')}, coalesce(l.deadline_at <= clock_timestamp(), false) as timed_out
    from ${lapsedLeases('(select instant from clock)')} l
    where ${tenantIsActive('l')}
    order by l.expires_at
    limit $1`,
};

const heldLeases = (name: string, ofWhich: string): Statement => ({
  name,
  writes: false,
  text: `
    select ${leaseColumns('l')}, coalesce(l.deadline_at <= clock_timestamp(), false) as timed_out
    from work_leases l
    where l.worker_id = $1
      and l.queue = 'engine'
      ${ofWhich}
    order by l.lease_fence`,
});

/** Reads all leases, for a process that does not know which it holds. */
const HELD_LEASES = heldLeases('list-held-leases', '');
const HELD_LEASES_OF_ONE = heldLeases('list-held-leases-of-one', 'and l.execution_id = $2');

const OVERDUE_QUEUED: Statement = {
  name: 'list-overdue-queued',
  writes: false,
  text: `
    select ${ticketColumns('q')}
    from work_queue q
    where q.start_before <= (select clock_timestamp())
      and ${tenantIsActive('q')}
    order by q.start_before
    limit $1`,
};

type FindRecord = Omit<TicketRecord, 'attempt' | 'priority'> &
  RecordColumns & {
    readonly definition_id: DefinitionId;
    readonly place: FoundWorkItem['place'];
    readonly lease_attempt: number | null;
    readonly lease_priority: number | null;
    readonly worker_id: string | null;
    readonly lease_fence: number | null;
    readonly claimed_at: string | null;
    readonly expires_at: string | null;
    readonly deadline_at: string | null;
    readonly timed_out: boolean;
    readonly released_fence: number | null;
  };

interface ItemKey {
  readonly id: WorkItemId;
  readonly tenantId: TenantId;
}

/** One for each key, in their order. */
async function findItems(
  pool: PostgresPool,
  keys: readonly ItemKey[],
): Promise<readonly (FoundWorkItem | null)[]> {
  const rows = await pool.run<FindRecord>(FIND_ITEMS, [keys.map(({ id }) => id)]);
  const byId = new Map<string, FindRecord>(rows.map((row) => [row.work_item_id, row]));
  return keys.map(({ id, tenantId }) => {
    const row = byId.get(id);
    return row?.tenant_id === tenantId ? decodeFound(row) : null;
  });
}

function decodeFound(row: FindRecord): FoundWorkItem {
  return {
    record: decodeRecord(row),
    definitionId: row.definition_id,
    lease: isLeased(row)
      ? decodeLease({ ...row, attempt: row.lease_attempt, priority: row.lease_priority })
      : null,
    place: row.place,
    releasedFence: row.released_fence,
  };
}

type LeasedRecord = FindRecord &
  LeaseRecord & {
    readonly lease_attempt: number;
    readonly lease_priority: number;
  };

function isLeased(row: FindRecord): row is LeasedRecord {
  return row.lease_fence !== null;
}

const FIND_ITEMS: Statement = {
  name: 'find-work-items',
  writes: false,
  text: `
    with owner as materialized (
      select i.execution_id
      from work_items i
      where i.work_item_id = any($1::uuid[])
    )
    select i.work_item_id, i.execution_id, i.tenant_id, i.node_id, i.visit, i.queue,
      i.idempotency_key, i.tool, i.payload, i.retry_policy, i.heartbeat_interval_ms,
      i.node_timeout_ms, i.schedule_to_start_ms, i.queue_name, (
        select e.definition_id
        from executions e
        where e.id = i.execution_id
      ) as definition_id,
      l.attempt as lease_attempt, l.priority as lease_priority, l.worker_id, l.lease_fence,
      l.claimed_at, l.expires_at, l.deadline_at, l.queue_seq, l.queued_at, r.released_fence,
      coalesce(l.deadline_at <= clock_timestamp(), false) as timed_out,
      case
        when l.work_item_id is not null then 'leased'
        when q.work_item_id is not null then 'queued'
        when r.work_item_id is not null then 'retrying'
        when d.work_item_id is not null then 'dead_lettered'
        else 'settled'
      end as place
    from work_items i
    left join work_leases l
      on l.work_item_id = i.work_item_id
      and l.work_item_id = any($1::uuid[])
      and l.execution_id = any(array(select execution_id from owner))
    left join work_queue q
      on q.work_item_id = i.work_item_id
      and q.work_item_id = any($1::uuid[])
    left join retry_timers r
      on r.work_item_id = i.work_item_id
      and r.work_item_id = any($1::uuid[])
    left join dead_letters d
      on d.work_item_id = i.work_item_id
      and d.work_item_id = any($1::uuid[])
    where i.work_item_id = any($1::uuid[])`,
};

async function settleUnfenced(
  pool: PostgresPool,
  params: Parameters<WorkStore['settleUnfenced']>[0],
): Promise<boolean> {
  const { workItemId, executionId, tenantId, record, deadLetter } = params;
  const rows = await pool.run(SETTLE_UNFENCED, [
    workItemId,
    tenantId,
    record === null ? null : JSON.stringify(record.output),
    record === null ? null : JSON.stringify(record.statePatch),
    deadLetter,
    newAuditId(),
    executionId === undefined ? null : toUuid(executionId),
  ]);
  return rows.length > 0;
}

const SETTLE_UNFENCED: Statement = {
  name: 'settle-unfenced',
  writes: true,
  text: `
    with ended as (
      delete from work_leases l
      where l.work_item_id = $1
        and l.execution_id = coalesce($7::uuid, (
          select i.execution_id
          from work_items i
          where i.work_item_id = $1
        ))
        and l.tenant_id = $2
      returning l.work_item_id, l.execution_id, l.tenant_id, l.node_id, l.attempt, l.worker_id,
        l.idempotency_key
    ),
    recorded as (
      insert into recorded_outputs (
        execution_id, idempotency_key, work_item_id, output, state_patch, created_at
      )
      select e.execution_id, e.idempotency_key, e.work_item_id, $3::json, $4::json,
        date_trunc('milliseconds', clock_timestamp())
      from ended e
      where $3::json is not null
      on conflict (execution_id, idempotency_key) do nothing
    ),
    buried as (
      insert into dead_letters (
        work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
        dead_lettered_at
      )
      select i.work_item_id, i.execution_id, i.tenant_id, i.node_id, i.queue, i.tool, e.attempt,
        $5::text, date_trunc('milliseconds', clock_timestamp())
      from ended e
      join work_items i on i.work_item_id = e.work_item_id
      where $5::text is not null
        and i.work_item_id = $1
      on conflict (work_item_id) do update
      set attempt = excluded.attempt,
        error = excluded.error,
        error_class = null,
        cause_key = null,
        dead_lettered_at = excluded.dead_lettered_at
    ),
    told as (
      insert into webhook_deliveries (
        delivery_id, webhook_id, tenant_id, execution_id, event_type, data, status, attempts,
        next_attempt_at, created_at
      )
      select gen_random_uuid(), w.webhook_id, e.tenant_id, e.execution_id,
        'work_item.dead_lettered',
        json_build_object(
          'execution_id', 'exec_' || replace(e.execution_id::text, '-', ''),
          'work_item_id', e.work_item_id, 'attempt', e.attempt, 'error', $5::text
        ),
        'pending', 0, date_trunc('milliseconds', clock_timestamp()),
        date_trunc('milliseconds', clock_timestamp())
      from ended e
      join (
        select webhook_id, tenant_id
        from webhooks
        where tenant_id = $2
          and status = 'active'
          and (event_types is null or 'work_item.dead_lettered' = any(event_types))
      ) w on w.tenant_id = e.tenant_id
      where $5::text is not null
    ),
    audited as (${appendAudit({
      auditId: '$6::uuid',
      tenantId: 'e.tenant_id',
      executionId: 'e.execution_id',
      eventType: `'work_item_settled_unfenced'`,
      actorId: `'worker:' || e.worker_id`,
      payload: `json_build_object(
        'work_item_id', e.work_item_id, 'node_id', e.node_id, 'attempt', e.attempt,
        'output_recorded', $3::json is not null, 'dead_letter', $5::text
      )`,
      from: 'ended e',
    })})
    select e.work_item_id
    from ended e`,
};

async function findRecordedOutput(
  pool: PostgresPool,
  params: Parameters<WorkStore['recordedOutput']>[0],
): ReturnType<WorkStore['recordedOutput']> {
  const [row] = await pool.run<{ readonly output: string; readonly state_patch: string }>(
    RECORDED_OUTPUT,
    [toUuid(params.executionId), params.idempotencyKey],
  );
  if (row === undefined) return null;
  return {
    output: JSON.parse(row.output) as JsonValue,
    statePatch: JSON.parse(row.state_patch) as JsonObject,
  };
}

/** `->` on `json` returns the text unchanged. */
const RECORDED_OUTPUT: Statement = {
  name: 'find-recorded-output',
  writes: false,
  text: `
    select coalesce(o.output, o.payload -> 'output', 'null'::json) as output,
      coalesce(o.state_patch, o.payload -> 'state_patch', '{}'::json) as state_patch
    from (
      select r.output, r.state_patch,
        (
          select v.payload
          from events v
          where v.execution_id = r.execution_id
            and v.sequence = r.event_sequence
          limit 1
        ) as payload
      from recorded_outputs r
      where r.execution_id = $1
        and r.idempotency_key = $2
      offset 0
    ) o`,
};
