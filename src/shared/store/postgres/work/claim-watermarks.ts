import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';

/*
 * Where on each queue the ready items begin. Claimed rows stay in the index until vacuum has been,
 * and while some transaction holds an old snapshot it cannot come: a claim that starts at the head of
 * the queue then walks over every row claimed since (from 2 700 to 1 000 claims a second within ten
 * seconds; with the watermark 7 500, unchanged).
 *
 * A watermark is a hint. Below it an item may still appear: one whose commit came later than that of
 * its successor, one of a higher priority, one whose claim was rolled back. So it trails behind the
 * last claim by more than a commit takes, is taken back when a claim finds something below it or this
 * process itself adds an item of a higher priority, and is ignored once a second, or ten times when
 * claims come back empty.
 *
 * Claims for certain tools have watermarks of their own, one for each filter: what one of them took says
 * nothing about the items that it left to others.
 */

const TRAIL_MS = 50;
const SWEEP_MS = 1_000;
const SWEEP_WHEN_EMPTY_MS = 100;
/** Queues are tenants times types and names; past this many, all begin anew. */
const QUEUES_MAX = 10_000;
/** Filters are the callers' choice; past this many of one queue, those begin anew. */
const FILTERS_MAX = 100;

export interface QueuePosition {
  readonly priority: number;
  readonly seq: number;
}

const HEAD: QueuePosition = { priority: 0, seq: 0 };

export interface ClaimWatermarks {
  /**
   * Where a claim on this queue may begin. `cameBackEmpty`: the claim was tried a moment ago and
   * found nothing.
   */
  start(of: ClaimedPart, cameBackEmpty: boolean): QueuePosition;
  /** A claim took everything it could up to here. */
  noteClaimed(of: ClaimedPart, last: QueuePosition): void;
  noteEnqueued(ticket: WorkTicket): void;
  /** Something was added to this queue that may stand anywhere. */
  reset(queueKey: string): void;
}

/** The part of a queue that a claim looks at. */
export interface ClaimedPart {
  readonly queueKey: string;
  /** Tells claims of different shards apart: a process has one set of them at a time. */
  readonly scope: string;
  /** Tells claims for different tools apart; empty: for all. */
  readonly filter: string;
}

interface Watermark {
  readonly scope: string;
  used: QueuePosition;
  /** Becomes `used` when it is old enough. */
  next: QueuePosition;
  nextSince: number;
  sweptAt: number;
}

export function createClaimWatermarks(
  now: () => number = () => performance.now(),
): ClaimWatermarks {
  /** By queue, and then by filter. */
  const queues = new Map<string, Map<string, Watermark>>();

  function find({ queueKey, scope, filter }: ClaimedPart): Watermark | null {
    const watermark = queues.get(queueKey)?.get(filter);
    return watermark?.scope === scope ? watermark : null;
  }

  function keep({ queueKey, filter }: ClaimedPart, watermark: Watermark): void {
    if (queues.size >= QUEUES_MAX) queues.clear();
    const ofQueue = queues.get(queueKey) ?? new Map<string, Watermark>();
    if (ofQueue.size >= FILTERS_MAX) ofQueue.clear();
    ofQueue.set(filter, watermark);
    queues.set(queueKey, ofQueue);
  }

  return {
    start(of, cameBackEmpty) {
      const watermark = find(of);
      if (watermark === null) return HEAD;
      const time = now();
      if (time - watermark.sweptAt >= (cameBackEmpty ? SWEEP_WHEN_EMPTY_MS : SWEEP_MS)) {
        watermark.sweptAt = time;
        return HEAD;
      }
      return watermark.used;
    },

    noteClaimed(of, last) {
      const time = now();
      const watermark = find(of);
      if (watermark === null) {
        keep(of, { scope: of.scope, used: HEAD, next: last, nextSince: time, sweptAt: time });
        return;
      }
      if (isBelow(last, watermark.used)) {
        watermark.used = last;
      } else if (time - watermark.nextSince < TRAIL_MS) {
        return;
      } else {
        watermark.used = watermark.next;
      }
      watermark.next = last;
      watermark.nextSince = time;
    },

    noteEnqueued(ticket) {
      const ofQueue = queues.get(queueKeyOf(ticket));
      if (ofQueue === undefined) return;
      for (const [filter, { used, next }] of ofQueue) {
        const lowest = Math.max(used.priority, next.priority);
        if (ticket.priority < lowest) ofQueue.delete(filter);
      }
    },

    reset(queueKey) {
      queues.delete(queueKey);
    },
  };
}

function isBelow(one: QueuePosition, other: QueuePosition): boolean {
  return one.priority === other.priority ? one.seq < other.seq : one.priority < other.priority;
}
