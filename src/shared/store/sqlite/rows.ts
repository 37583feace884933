import type { RecordedEvent } from '../../domain/execution/event.ts';
import { type Labels, NO_LABELS } from '../../domain/execution/labels/labels.ts';
import type { ExecutionStatus } from '../../domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { RetryPolicy } from '../../domain/work/retry.ts';
import type {
  WorkerQueue,
  WorkItemRecord,
  WorkQueue,
  WorkTicket,
} from '../../domain/work/work-item.ts';
import type { ExecutionRow, ListedRow, ListedWait } from '../executions.ts';
import type { Lease } from '../work.ts';
import type { Bindable } from './connection/connect.ts';

/** Rows as SQLite gives them, and what they are outside. Written by this adapter only, so trusted. */

/** A filter: nothing is scheduled for the others. */
export const TENANT_IS_ACTIVE = `tenant_id not in (
  select id from tenants where status <> 'active'
)`;

/** When what is held is due: never, which is 9999-12-31. */
export const HELD_DUE_AT = 253_402_214_400_000;

/** A batch of commits has one time for all, which need not be written out for each. */
let written = { milliseconds: 0, iso: new Date(0).toISOString() };

export function toIso(milliseconds: number): string {
  if (written.milliseconds !== milliseconds) {
    written = { milliseconds, iso: new Date(milliseconds).toISOString() };
  }
  return written.iso;
}

export function toIsoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIso(milliseconds);
}

export const EXECUTION_COLUMNS = `
  id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
  parent_execution_id, status, last_sequence, error, created_at, updated_at, completed_at`;

/** Those that a list reads of the table. */
export const FOUND_COLUMNS = `${EXECUTION_COLUMNS}, error_class, error_node_id`;

/** Those of a list from `e`, with the labels of each and what it waits for before it begins. */
export const LISTED_COLUMNS = `${FOUND_COLUMNS},
  (
    select json_group_object(n.name, n.value order by n.name)
    from execution_labels as n
    where n.execution_id = e.id
  ) as labels,
  case when e.status in ('running', 'paused') then coalesce(
    (
      select json_object(
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
            from flow_waits as f
            where f.tenant_id = w.tenant_id and f.place_key = w.place_key
            order by f.seq
            limit 1
          )
        end
      )
      from flow_waits as w
      where w.execution_id = e.id
    ),
    (
      select json_object('kind', 'max_concurrent_executions', 'placeKey', null, 'since', p.since)
      from child_places as p
      where p.execution_id = e.id and p.state = 'waiting'
    ),
    (
      select json_object(
        'kind', 'start_after', 'placeKey', null, 'since', e.created_at, 'until', t.due_at
      )
      from timers as t
      where t.execution_id = e.id and t.name = 'start_after'
    )
  ) end as waiting_for`;

export interface ListedRecord extends ExecutionRecord {
  readonly error_class: string | null;
  readonly error_node_id: string | null;
  /** JSON text. */
  readonly labels: string;
  /** JSON text of a `ListedWait`, its instant in milliseconds; null: it has begun. */
  readonly waiting_for: string | null;
}

export function decodeListed(row: ListedRecord): ListedRow {
  const labels = row.labels === '{}' ? NO_LABELS : (JSON.parse(row.labels) as Labels);
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
  const { since, until, ...wait } = JSON.parse(json) as Omit<ListedWait, 'since' | 'until'> & {
    readonly since: number;
    readonly until?: number | null;
  };
  return {
    ...wait,
    since: toIso(since),
    ...(typeof until === 'number' && { until: toIso(until) }),
  };
}

export interface ExecutionRecord {
  readonly id: string;
  readonly tenant_id: string;
  readonly definition_id: string;
  readonly workflow_id: string;
  readonly workflow_version: string;
  readonly shard: number;
  readonly priority: number;
  readonly parent_execution_id: string | null;
  readonly status: ExecutionStatus;
  readonly last_sequence: number;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly completed_at: number | null;
}

export function decodeExecution(row: ExecutionRecord): ExecutionRow {
  return {
    executionId: row.id as ExecutionId,
    tenantId: row.tenant_id as TenantId,
    definitionId: row.definition_id as DefinitionId,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    parentExecutionId: row.parent_execution_id as ExecutionId | null,
    status: row.status,
    lastSequence: row.last_sequence,
    shard: row.shard,
    priority: row.priority,
    error: row.error,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    completedAt: toIsoOrNull(row.completed_at),
  };
}

export interface EventRecord {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: number;
}

export function decodeEvent(row: EventRecord): RecordedEvent {
  return {
    kind: row.kind,
    nodeId: row.node_id,
    payload: JSON.parse(row.payload),
    sequence: row.sequence,
    createdAt: toIso(row.created_at),
    actorId: row.actor_id,
  } as RecordedEvent;
}

/** The columns that the tables of queued, leased and retrying items share. */
export const TICKET_COLUMNS = `
  work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
  idempotency_key, node_timeout_ms, schedule_to_start_ms`;

export const TICKET_PLACES = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?';

export interface TicketRecord {
  readonly work_item_id: string;
  readonly execution_id: string;
  readonly tenant_id: string;
  readonly node_id: string;
  readonly visit: number;
  readonly attempt: number;
  readonly queue: WorkQueue;
  readonly priority: number;
  readonly idempotency_key: string;
  readonly node_timeout_ms: number | null;
  readonly schedule_to_start_ms: number | null;
}

export function decodeTicket(row: TicketRecord): WorkTicket {
  return {
    workItemId: row.work_item_id as WorkItemId,
    executionId: row.execution_id as ExecutionId,
    tenantId: row.tenant_id as TenantId,
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

/** In the order of `TICKET_COLUMNS`. */
export function bindTicket(ticket: WorkTicket): readonly Bindable[] {
  return [
    ticket.workItemId,
    ticket.executionId,
    ticket.tenantId,
    ticket.nodeId,
    ticket.visit,
    ticket.attempt,
    ticket.queue,
    ticket.priority,
    ticket.idempotencyKey,
    ticket.nodeTimeoutMs,
    ticket.scheduleToStartMs,
  ];
}

export const LEASE_COLUMNS = `${TICKET_COLUMNS},
  worker_id, lease_fence, claimed_at, expires_at, deadline_at`;

export interface LeaseRecord extends TicketRecord {
  readonly worker_id: string;
  readonly lease_fence: number;
  readonly claimed_at: number;
  readonly expires_at: number;
  readonly deadline_at: number | null;
  /** Read only where a release may follow. */
  readonly queue_seq?: number | null;
  readonly queued_at?: number | null;
}

export function decodeLease(row: LeaseRecord, now: number): Lease {
  const { queue_seq: seq = null, queued_at: queuedAt = null } = row;
  return {
    ticket: decodeTicket(row),
    leaseFence: row.lease_fence,
    workerId: row.worker_id,
    claimedAt: toIso(row.claimed_at),
    expiresAt: toIso(row.expires_at),
    deadlineAt: toIsoOrNull(row.deadline_at),
    timedOut: row.deadline_at !== null && row.deadline_at <= now,
    ...(seq !== null && queuedAt !== null && { queuePlace: { seq, queuedAt: toIso(queuedAt) } }),
  };
}

export const RECORD_COLUMNS = `
  work_item_id, execution_id, tenant_id, node_id, visit, queue, queue_name, idempotency_key, tool,
  payload, retry_policy, heartbeat_interval_ms`;

export interface WorkItemRow {
  readonly work_item_id: string;
  readonly execution_id: string;
  readonly tenant_id: string;
  readonly node_id: string;
  readonly visit: number;
  readonly queue: WorkerQueue;
  readonly queue_name: string | null;
  readonly idempotency_key: string;
  readonly tool: string;
  readonly payload: string;
  readonly retry_policy: string;
  readonly heartbeat_interval_ms: number;
}

export function decodeRecord(row: WorkItemRow): WorkItemRecord {
  return {
    workItemId: row.work_item_id as WorkItemId,
    executionId: row.execution_id as ExecutionId,
    tenantId: row.tenant_id as TenantId,
    nodeId: row.node_id,
    visit: row.visit,
    queue: row.queue,
    ...(row.queue_name !== null && { queueName: row.queue_name }),
    idempotencyKey: row.idempotency_key,
    tool: row.tool,
    payload: JSON.parse(row.payload) as JsonObject,
    retryPolicy: JSON.parse(row.retry_policy) as RetryPolicy,
    heartbeatIntervalMs: row.heartbeat_interval_ms,
  };
}
