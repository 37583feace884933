import type { RecordedEvent } from '../../domain/execution/event.ts';
import { type Labels, NO_LABELS } from '../../domain/execution/labels/labels.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import {
  executionIdFromUuid,
  type DefinitionId,
  type ExecutionId,
  type TenantId,
  type WorkItemId,
} from '../../domain/ids.ts';
import { TOOL_KEY_MAX } from '../../domain/work/claim-filter.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../domain/work/retry.ts';
import type { WorkItemRecord, WorkQueue, WorkTicket } from '../../domain/work/work-item.ts';
import type { ExecutionRow, ListedRow, ListedWait } from '../executions.ts';
import type { Lease } from '../work.ts';

/** Wire values to values of the domain, by type. Own to our connections, never the driver's global. */
export function parseColumn(oid: number): (text: string) => unknown {
  return PARSERS.get(oid) ?? ((text) => text);
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [16, (text) => text === 't'],
  [20, parseInt8],
  [21, Number],
  [23, Number],
  // xid: compared by the server only. json and jsonb stay text: most of it passes through.
  [1016, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(parseInt8))],
  [1184, parseInstant],
]);

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53`);
  return value;
}

/** `2026-11-21 10:14:00.123456+00` → `2026-11-21T10:14:00.123Z`; sessions are in UTC. */
export function parseInstant(text: string): string {
  if (!text.endsWith('+00') || text[10] !== ' ') return new Date(text).toISOString();
  if (text[19] === '.' && text.length >= MILLISECONDS) {
    return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  }
  const fraction = text[19] === '.' ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** So long is an instant with three digits of a fraction or more. */
const MILLISECONDS = '2026-11-21 10:14:00.123+00'.length;

/** A filter: nothing is scheduled for the others. Their ids are read once for the statement. */
export function tenantIsActive(alias: string): string {
  return `${alias}.tenant_id <> all(array(select n.id from tenants n where n.status <> 'active'))`;
}

/** When what is held is due: never. No infinity, which has no number of seconds. */
export const HELD_DUE_AT = `timestamptz '9999-12-31 00:00:00+00'`;

/** The tool name of a requeued item on its queue; null for one of the engine. */
export function toolOf(alias: string): string {
  return `(
            select left(n.tool, ${TOOL_KEY_MAX})
            from work_items n
            where n.work_item_id = ${alias}.work_item_id
              and ${alias}.queue <> 'engine'
          )`;
}

/**
 * The order in which a statement queues items with keys of fairness, others first. All statements take the
 * locks of keys in this order (`tag_fair_item`), so that none waits for another one in a circle.
 */
export function shareOrderOf(alias: string): string {
  return `case
          when strpos(${alias}.queue_key, '~') > 0 and strpos(${alias}.queue_key, '#') = 0
          then split_part(${alias}.queue_key, '~', 1) || '~' || split_part(${alias}.queue_name, '~', 2)
        end collate "C" nulls first`;
}

/** The form of an execution id in the database. */
export function toUuid(id: ExecutionId): string {
  return id.slice('exec_'.length);
}

const NO_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Ids of executions are times, so these say which partitions of `events` hold them: the server looks
 * into all of them where it is given an array alone.
 */
export function boundsOf(uuids: readonly string[]): {
  readonly least: string;
  readonly greatest: string;
} {
  let least = uuids[0] ?? NO_UUID;
  let greatest = least;
  for (const uuid of uuids) {
    if (uuid < least) least = uuid;
    if (uuid > greatest) greatest = uuid;
  }
  return { least, greatest };
}

export const EXECUTION_COLUMNS = `
  e.id, e.tenant_id, e.definition_id, e.workflow_id, e.workflow_version, e.parent_execution_id,
  e.status, e.last_sequence, e.shard, e.priority, e.error, e.created_at, e.updated_at,
  e.completed_at`;

/** Those that a list reads of the table. */
export const FOUND_COLUMNS = `${EXECUTION_COLUMNS}, e.error_class, e.error_node_id`;

/** Those of a list, with the labels of each and what it waits for before it begins. */
export const LISTED_COLUMNS = `${FOUND_COLUMNS},
  (
    select json_object_agg(n.name, n.value order by n.name)
    from execution_labels n
    where n.execution_id = e.id
  ) as labels,
  case when e.status in ('running', 'paused') then coalesce(
    (
      select json_build_object(
        'kind', case
          when w.batch_bytes is not null then 'batch'
          when w.due_at is not null then 'debounce'
          when w.places_max is null then 'rate'
          else 'concurrency'
        end,
        'placeKey', w.place_key, 'since', w.since, 'until', case
          when w.batch_bytes is null then w.due_at
          else (
            select f.due_at
            from flow_waits f
            where f.tenant_id = w.tenant_id and f.place_key = w.place_key
            order by f.seq
            limit 1
          )
        end
      )
      from flow_waits w
      where w.execution_id = e.id
    ),
    (
      select json_build_object(
        'kind', 'max_concurrent_executions', 'placeKey', null, 'since', p.since
      )
      from child_places p
      where p.execution_id = e.id
        and p.state = 'waiting'
    ),
    (
      select json_build_object(
        'kind', 'start_after', 'placeKey', null, 'since', e.created_at, 'until', t.due_at
      )
      from timers t
      where t.execution_id = e.id
        and t.name = 'start_after'
    )
  ) end as waiting_for`;

export interface ListedRecord extends ExecutionRecord {
  readonly error_class: string | null;
  readonly error_node_id: string | null;
  /** JSON text; null: it has none. */
  readonly labels: string | null;
  /** JSON text of a `ListedWait`; null: it has begun. */
  readonly waiting_for: string | null;
}

export function decodeListed(row: ListedRecord): ListedRow {
  const labels = row.labels === null ? NO_LABELS : (JSON.parse(row.labels) as Labels);
  return {
    ...decodeExecution(row),
    errorClass: row.error_class,
    errorNodeId: row.error_node_id,
    labels,
    waitingFor: decodeWait(row.waiting_for),
  };
}

function decodeWait(json: string | null): ListedWait | null {
  if (json === null) return null;
  const { since, until, ...wait } = JSON.parse(json) as Omit<ListedWait, 'until'> & {
    readonly until?: string | null;
  };
  return {
    ...wait,
    since: new Date(since).toISOString(),
    ...((until ?? null) !== null && { until: new Date(until ?? '').toISOString() }),
  };
}

export interface ExecutionRecord {
  readonly id: string;
  readonly tenant_id: TenantId;
  readonly definition_id: DefinitionId;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly parent_execution_id: string | null;
  readonly status: ExecutionStatus;
  readonly last_sequence: number;
  readonly shard: number;
  readonly priority: number;
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
}

export function decodeExecution(row: ExecutionRecord): ExecutionRow {
  return {
    executionId: executionIdFromUuid(row.id),
    tenantId: row.tenant_id,
    definitionId: row.definition_id,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    parentExecutionId:
      row.parent_execution_id === null ? null : executionIdFromUuid(row.parent_execution_id),
    status: row.status,
    lastSequence: row.last_sequence,
    shard: row.shard,
    priority: row.priority,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}

export interface EventRecord {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  /** JSON text. */
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: string;
}

/** Trusts the kind and the payload: only the engine writes them. */
export function decodeEvent(row: EventRecord): RecordedEvent {
  return {
    kind: row.kind,
    nodeId: row.node_id,
    payload: JSON.parse(row.payload) as unknown,
    sequence: row.sequence,
    createdAt: row.created_at,
    actorId: row.actor_id,
  } as RecordedEvent;
}

/** The columns that queue, leases and retry timers share. */
export interface TicketRecord {
  readonly work_item_id: WorkItemId;
  readonly execution_id: string;
  readonly tenant_id: TenantId;
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
  readonly queue: WorkQueue;
  readonly priority: number;
  readonly idempotency_key: string;
  readonly node_timeout_ms: number | null;
  readonly schedule_to_start_ms: number | null;
}

const TICKET_COLUMNS = [
  'work_item_id',
  'execution_id',
  'tenant_id',
  'node_id',
  'visit',
  'attempt',
  'queue',
  'priority',
  'idempotency_key',
  'node_timeout_ms',
  'schedule_to_start_ms',
] as const satisfies readonly (keyof TicketRecord)[];

/**
 * Asked once for a statement, and only by one that draws: whether the database is the one that fences
 * were last drawn for (migration 0012).
 */
export const NEXT_FENCE = `case when (select fences_are_ahead()) then nextval('lease_fence_seq') end`;

/** The ticket's columns, spelled out: `t.work_item_id, t.execution_id, …`. */
export function ticketColumns(table?: string): string {
  return TICKET_COLUMNS.map((column) => (table === undefined ? column : `${table}.${column}`)).join(
    ', ',
  );
}

export function decodeTicket(row: TicketRecord): WorkTicket {
  return {
    workItemId: row.work_item_id,
    executionId: executionIdFromUuid(row.execution_id),
    tenantId: row.tenant_id,
    nodeId: row.node_id,
    visit: row.visit,
    attempt: row.attempt,
    queue: row.queue,
    priority: row.priority,
    idempotencyKey: row.idempotency_key,
    nodeTimeoutMs: row.node_timeout_ms,
    scheduleToStartMs: row.schedule_to_start_ms,
  };
}

export interface LeaseRecord extends TicketRecord {
  readonly worker_id: string;
  readonly lease_fence: number;
  readonly claimed_at: string;
  readonly expires_at: string;
  readonly deadline_at: string | null;
  readonly timed_out: boolean;
  /** Read only where a release may follow. */
  readonly queue_seq?: number | null;
  readonly queued_at?: string | null;
}

/** `timed_out` is worked out by the reading statement, by the database's clock. */
export function leaseColumns(table: string): string {
  return (
    `${ticketColumns(table)}, ${table}.worker_id, ${table}.lease_fence, ${table}.claimed_at, ` +
    `${table}.expires_at, ${table}.deadline_at`
  );
}

export function decodeLease(row: LeaseRecord): Lease {
  return {
    ticket: decodeTicket(row),
    leaseFence: row.lease_fence,
    workerId: row.worker_id,
    claimedAt: row.claimed_at,
    expiresAt: row.expires_at,
    deadlineAt: row.deadline_at,
    timedOut: row.timed_out,
    ...placeOf(row),
  };
}

function placeOf({ queue_seq: seq = null, queued_at: queuedAt = null }: LeaseRecord) {
  return seq === null || queuedAt === null ? {} : { queuePlace: { seq, queuedAt } };
}

/** The columns of `work_items` that the ticket does not have. */
export interface RecordColumns {
  readonly tool: string;
  /** JSON texts. */
  readonly payload: string;
  /** See `writeRetryPolicy`. */
  readonly retry_policy: string | null;
  readonly heartbeat_interval_ms: number;
  readonly queue_name: string | null;
}

export function decodeRecord(
  row: Omit<TicketRecord, 'attempt' | 'priority' | 'node_timeout_ms' | 'schedule_to_start_ms'> &
    RecordColumns,
): WorkItemRecord {
  return {
    workItemId: row.work_item_id,
    executionId: executionIdFromUuid(row.execution_id),
    tenantId: row.tenant_id,
    nodeId: row.node_id,
    visit: row.visit,
    queue: row.queue as WorkItemRecord['queue'],
    ...(row.queue_name !== null && { queueName: row.queue_name }),
    idempotencyKey: row.idempotency_key,
    tool: row.tool,
    payload: JSON.parse(row.payload) as WorkItemRecord['payload'],
    retryPolicy: readRetryPolicy(row.retry_policy),
    heartbeatIntervalMs: row.heartbeat_interval_ms,
  };
}

/** Null: the default policy, whose text would take 139 bytes in the log of each item. */
export function writeRetryPolicy(policy: RetryPolicy): string | null {
  return policy === DEFAULT_RETRY_POLICY ? null : JSON.stringify(policy);
}

function readRetryPolicy(text: string | null): RetryPolicy {
  return text === null ? DEFAULT_RETRY_POLICY : (JSON.parse(text) as RetryPolicy);
}
