import { toolKey } from '../../../domain/work/claim-filter.ts';
import type { WorkItemRecord, WorkTicket } from '../../../domain/work/work-item.ts';
import type { BornLease, CommitPlan, NewWorkItem, Release, Retry } from '../../commit.ts';
import type { Columns } from './section.ts';

/** How a commit encodes the items of a plan. */

/** The common fields of queued, leased and postponed items; named as in their tables. */
export const TICKET_COLUMNS = {
  work_item_id: ['uuid', ({ ticket }) => ticket.workItemId],
  node_id: ['text', ({ ticket }) => ticket.nodeId],
  visit: ['int4', ({ ticket }) => ticket.visit],
  attempt: ['int4', ({ ticket }) => ticket.attempt],
  queue: ['text', ({ ticket }) => ticket.queue],
  priority: ['int4', ({ ticket }) => ticket.priority],
  idempotency_key: ['text', ({ ticket }) => ticket.idempotencyKey],
  node_timeout_ms: ['int8', ({ ticket }) => ticket.nodeTimeoutMs],
  schedule_to_start_ms: ['int8', ({ ticket }) => ticket.scheduleToStartMs],
} as const satisfies Columns<{ readonly ticket: WorkTicket }>;

export const LEASE_COLUMNS = {
  ...TICKET_COLUMNS,
  worker_id: ['text', ({ leaseTo }) => leaseTo],
  ms: ['int8', ({ leaseMs }) => leaseMs],
  claim_id: ['uuid', ({ claimId }) => claimId ?? null],
} as const satisfies Columns<BornLease>;

interface Handover extends BornLease {
  readonly ended: CommitPlan['settles'][number];
}

export function handoverOf({ settles: [ended], bornLeased: [begun] }: CommitPlan): Handover | null {
  return ended === undefined || begun === undefined ? null : { ...begun, ended };
}

export function dropsOf({ settles, bornLeased }: CommitPlan): CommitPlan['settles'] {
  return bornLeased.length === 0 ? settles : settles.slice(1);
}

type PlacedTicket = NewWorkItem | BornLease | Retry;

export function ticketsOf({ newItems, bornLeased, retries }: CommitPlan): readonly PlacedTicket[] {
  if (bornLeased.length === 0 && retries.length === 0) return newItems;
  if (newItems.length === 0 && retries.length === 0) return bornLeased;
  return [...newItems, ...bornLeased, ...retries];
}

export function placeOf(ticket: PlacedTicket): 'lease' | 'retry' | 'queue' {
  if ('leaseTo' in ticket) return 'lease';
  return 'delayMs' in ticket && ticket.delayMs > 0 ? 'retry' : 'queue';
}

export function durationOf(ticket: PlacedTicket): number | null {
  if ('leaseTo' in ticket) return ticket.leaseMs;
  return 'delayMs' in ticket && ticket.delayMs > 0 ? ticket.delayMs : null;
}

export function releaseOf(ticket: PlacedTicket): Release | null {
  return 'delayMs' in ticket && ticket.delayMs > 0 ? ticket.released : null;
}

export function toolOf(ticket: PlacedTicket): string | null {
  const record = 'record' in ticket ? (ticket.record ?? null) : null;
  return record === null ? null : toolKey(record.tool);
}

interface RecordedItem {
  readonly ticket: WorkTicket;
  readonly record: WorkItemRecord;
}

/** Items of the engine's queue have no record. */
export function itemsOf({ newItems, bornLeased }: CommitPlan): readonly RecordedItem[] {
  if (newItems.length === 0 && bornLeased.every(({ record }) => record === undefined)) return NONE;
  return [...newItems, ...bornLeased].flatMap(({ ticket, record }) =>
    record === null || record === undefined ? [] : [{ ticket, record }],
  );
}

const NONE: readonly never[] = [];
