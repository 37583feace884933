import { readQueuedNames } from '../../../domain/work/quota.ts';
import {
  type ExecutionFacts,
  type ItemPlace,
  SERVING_MAX,
  type ServingWorker,
  type LastSeen,
} from '../../../domain/execution/explain/facts.ts';
import type { ExecutionStatus } from '../../../domain/execution/status.ts';
import type { WorkItemId } from '../../../domain/ids.ts';
import type { TenantStatus } from '../../../domain/tenant.ts';
import { WORKER_QUEUES, type WorkerQueue, type WorkQueue } from '../../../domain/work/work-item.ts';
import {
  type ExecutionQuestion,
  LEASES_LOOKED_AT_MAX,
  POSITION_MAX,
  POSITIONS_MAX,
} from '../../readings/diagnosis.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

/** Called within one transaction, so that everything fits together. */
export function readExecutionFacts(
  connection: Connection,
  question: ExecutionQuestion,
): ExecutionFacts | null {
  const { executionId, tenantId } = question;
  const row = connection.get<{
    readonly tenant_id: string;
    readonly status: ExecutionStatus;
    readonly last_sequence: number;
    readonly updated_at: number;
    readonly tenant_status: TenantStatus;
    readonly is_marked: number;
  }>(
    `select tenant_id, status, last_sequence, updated_at,
       coalesce((select n.status from tenants n where n.id = executions.tenant_id), 'active')
         as tenant_status,
       exists (select 1 from runnable where execution_id = :id) as is_marked
     from executions
     where id = :id and (:tenant_id is null or tenant_id = :tenant_id)`,
    { id: executionId, tenant_id: tenantId },
  );
  if (row === undefined) return null;
  const now = connection.now();
  const items = readItems(connection, question);
  const awaited = WORKER_QUEUES.filter((queue) =>
    items.values().some((place) => place.is === 'queued' && place.queue === queue),
  );
  return {
    now: toIso(now),
    status: row.status,
    lastSequence: row.last_sequence,
    updatedAt: toIso(row.updated_at),
    tenantStatus: row.tenant_status,
    isMarked: row.is_marked === 1,
    items,
    timers: readTimers(connection, question),
    workers: new Map(
      awaited.map((queue) => [
        queue,
        findWorkers(connection, { tenantId: row.tenant_id, queue, now }),
      ]),
    ),
    serving: awaited.length === 0 ? [] : readServing(connection, row.tenant_id, now),
    schedulers: findSchedulers(connection, now),
  };
}

/** A dead letter counts only for an item that is nowhere else. */
function readItems(
  connection: Connection,
  { executionId, workItemIds }: ExecutionQuestion,
): ReadonlyMap<WorkItemId, ItemPlace> {
  const of = { execution_id: executionId, ids: JSON.stringify(workItemIds) };
  const places = [
    ...readDeadLetters(connection, of),
    ...readRetries(connection, of),
    ...readLeases(connection, of),
    ...readQueued(connection, of),
  ];
  return new Map(places);
}

interface Asked {
  readonly [name: string]: string;
  readonly execution_id: string;
  readonly ids: string;
}

interface ItemRecord {
  readonly work_item_id: WorkItemId;
  readonly queue: WorkQueue;
  readonly attempt: number;
}

type Placed = readonly [WorkItemId, ItemPlace];

function readQueued(connection: Connection, asked: Asked): readonly Placed[] {
  const rows = connection.all<
    ItemRecord & {
      readonly enqueued_at: number;
      readonly start_before: number | null;
      readonly position: number | null;
      readonly queue_key: string;
      readonly queue_name: string | null;
      readonly tool: string | null;
    }
  >(
    `select work_item_id, queue, attempt, enqueued_at, start_before, queue_key, queue_name,
       (select i.tool from work_items i where i.work_item_id = mine.work_item_id) as tool,
       case when queue_key <> 'engine' and place <= ${POSITIONS_MAX} then (
         select nullif(1 + count(*), ${POSITION_MAX} + 1)
         from (
           select 1
           from work_queue b
           where b.queue_key = mine.queue_key
             and (b.priority, b.seq) < (mine.priority, mine.seq)
           limit ${POSITION_MAX}
         )
       ) end as position
     from (
       select *, row_number() over (order by priority, seq) as place
       from work_queue
       where work_item_id in (select value from json_each(:ids)) and execution_id = :execution_id
     ) mine`,
    asked,
  );
  return rows.map(({ work_item_id: id, queue, attempt, ...row }) => [
    id,
    {
      is: 'queued',
      queue,
      attempt,
      tool: row.tool,
      ...readQueuedNames({ queueKey: row.queue_key, queueName: row.queue_name }),
      enqueuedAt: toIso(row.enqueued_at),
      startBefore: toIsoOrNull(row.start_before),
      position: row.position,
    },
  ]);
}

function readLeases(connection: Connection, asked: Asked): readonly Placed[] {
  const rows = connection.all<
    ItemRecord & {
      readonly worker_id: string;
      readonly lease_fence: number;
      readonly claimed_at: number;
      readonly expires_at: number;
      readonly seen_at: number | null;
    }
  >(
    `select work_item_id, queue, attempt, worker_id, lease_fence, claimed_at, expires_at, (
         select max(w.last_heartbeat)
         from workers w
         where w.worker_id = work_leases.worker_id
           and (w.tenant_id is null or w.tenant_id = work_leases.tenant_id)
       ) as seen_at
     from work_leases
     where work_item_id in (select value from json_each(:ids)) and execution_id = :execution_id`,
    asked,
  );
  return rows.map(({ work_item_id: id, queue, attempt, ...row }) => [
    id,
    {
      is: 'leased',
      queue,
      attempt,
      workerId: row.worker_id,
      leaseFence: row.lease_fence,
      claimedAt: toIso(row.claimed_at),
      expiresAt: toIso(row.expires_at),
      holderSeenAt: toIsoOrNull(row.seen_at),
    },
  ]);
}

function readRetries(connection: Connection, asked: Asked): readonly Placed[] {
  const rows = connection.all<ItemRecord & { readonly due_at: number; readonly is_held: number }>(
    `select work_item_id, queue, attempt, due_at, held_due_at is not null as is_held
     from retry_timers
     where work_item_id in (select value from json_each(:ids)) and execution_id = :execution_id`,
    asked,
  );
  return rows.map(({ work_item_id: id, queue, attempt, due_at: dueAt, is_held: isHeld }) => [
    id,
    isHeld === 1
      ? { is: 'held', queue, attempt }
      : { is: 'retrying', queue, attempt, dueAt: toIso(dueAt) },
  ]);
}

function readDeadLetters(connection: Connection, asked: Asked): readonly Placed[] {
  const rows = connection.all<
    ItemRecord & { readonly error: string; readonly dead_lettered_at: number }
  >(
    `select work_item_id, queue, attempt, error, dead_lettered_at
     from dead_letters
     where work_item_id in (select value from json_each(:ids)) and execution_id = :execution_id`,
    asked,
  );
  return rows.map(({ work_item_id: id, queue, attempt, error, dead_lettered_at: at }) => [
    id,
    { is: 'dead_lettered', queue, attempt, error, deadLetteredAt: toIso(at) },
  ]);
}

function readTimers(
  connection: Connection,
  { executionId, timerNames }: ExecutionQuestion,
): ReadonlyMap<string, string> {
  const rows = connection.all<{ readonly name: string; readonly due_at: number }>(
    `select name, due_at
     from timers
     where execution_id = :execution_id
       and name in (select value from json_each(:names))
       and left_ms is null`,
    { execution_id: executionId, names: JSON.stringify(timerNames) },
  );
  return new Map(rows.map(({ name, due_at: dueAt }) => [name, toIso(dueAt)]));
}

interface LastSeenRecord {
  readonly seen: number;
  readonly last_seen: number | null;
}

/**
 * A worker that is busy with long items claims nothing and so is not seen: a holder of a lease of
 * the queue also counts as present.
 */
function findWorkers(
  connection: Connection,
  params: { readonly tenantId: string; readonly queue: WorkerQueue; readonly now: number },
): LastSeen {
  const { tenantId, queue, now } = params;
  const row = connection.get<LastSeenRecord>(
    `with tools as (
       select worker_id, last_heartbeat, last_heartbeat > :seen_since as is_seen
       from workers
       where tenant_id = :tenant_id
         and :queue in (select value from json_each(workers.queue_types))
     )
     select (select count(*) from tools where is_seen) + (
         select count(distinct worker_id)
         from (
           select worker_id, tenant_id, queue, expires_at
           from work_leases
           order by expires_at desc
           limit ${LEASES_LOOKED_AT_MAX}
         )
         where tenant_id = :tenant_id and queue = :queue and expires_at > :now
           and worker_id not in (select worker_id from tools where is_seen)
       ) as seen,
       (select max(last_heartbeat) from tools) as last_seen`,
    { tenant_id: tenantId, queue, now, seen_since: now - WORKER_SILENCE_MS_MAX },
  );
  return lastSeenOf(row);
}

function readServing(
  connection: Connection,
  tenantId: string,
  now: number,
): readonly ServingWorker[] {
  return connection
    .all<{
      readonly queue_types: string;
      readonly tools: string | null;
      readonly queue_names: string | null;
    }>(
      `select queue_types, tools, queue_names
       from workers
       where tenant_id = :tenant_id and last_heartbeat > :seen_since
       limit ${SERVING_MAX}`,
      { tenant_id: tenantId, seen_since: now - WORKER_SILENCE_MS_MAX },
    )
    .map((row) => ({
      queueTypes: JSON.parse(row.queue_types) as readonly string[],
      filter: {
        tools: JSON.parse(row.tools ?? 'null') as readonly string[] | null,
        queueNames: JSON.parse(row.queue_names ?? 'null') as readonly string[] | null,
      },
    }));
}

function findSchedulers(connection: Connection, now: number): LastSeen {
  const row = connection.get<LastSeenRecord>(
    `select count(*) filter (where last_heartbeat > :seen_since) as seen,
       max(last_heartbeat) as last_seen
     from workers
     where tenant_id is null and role in ('scheduler', 'all')`,
    { seen_since: now - WORKER_SILENCE_MS_MAX },
  );
  return lastSeenOf(row);
}

function lastSeenOf(row: LastSeenRecord | undefined): LastSeen {
  return { seen: row?.seen ?? 0, lastSeenAt: toIsoOrNull(row?.last_seen ?? null) };
}
