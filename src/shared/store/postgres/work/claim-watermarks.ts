import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import type { WorkTicket } from '../../../domain/work/work-item.ts';
import { createFairTurns, type FairTurns } from '../../rows/fair-turns.ts';

/*
 * The position on each queue where the ready items begin. Claimed rows stay in the index until a
 * vacuum, which a transaction with an old snapshot prevents. A claim that starts at the head of the
 * queue then reads every row claimed since: from 2 700 to 1 000 claims a second within ten seconds.
 * With the watermark it stays at 7 500.
 *
 * A watermark is a hint. An item may still appear below it: its commit came later than that of its
 * successor, its priority is higher, or its claim was rolled back. So the watermark trails the last
 * claim by more than a commit takes. A claim that finds an item below it resets it, and so does
 * this process when it adds an item of a higher priority. Claims ignore it once a second, or ten
 * times a second when they come back empty.
 *
 * Claims for certain tools have their own watermarks, one for each filter: the items that a claim
 * takes say nothing about the items that its filter skips.
 */

const TRAIL_MS = 50;
const SWEEP_MS = 1_000;
const SWEEP_WHEN_EMPTY_MS = 100;
/** A queue is a tenant, a type and a name; past this many, all watermarks are reset. */
const QUEUES_MAX = 10_000;
/** Callers choose filters; past this many of one queue, its watermarks are reset. */
const FILTERS_MAX = 100;

export interface QueuePosition {
  readonly priority: number;
  readonly seq: number;
}

const HEAD: QueuePosition = { priority: 0, seq: 0 };

export interface ClaimWatermarks {
  /**
   * The position where a claim on this queue may begin. `cameBackEmpty`: the claim has just found
   * nothing.
   */
  start(of: ClaimedPart, cameBackEmpty: boolean): QueuePosition;
  /** A claim took every item that it could up to here. */
  noteClaimed(of: ClaimedPart, last: QueuePosition): void;
  noteEnqueued(ticket: WorkTicket): void;
  /** The queues of shares beside those of workers. */
  readonly turns: FairTurns;
  /** An item was added to this queue at an unknown position. */
  reset(queueKey: string): void;
}

/** The part of a queue that a claim reads. */
export interface ClaimedPart {
  readonly queueKey: string;
  /** Distinguishes claims of different shards: a process has one set of shards at a time. */
  readonly scope: string;
  /** Distinguishes claims for different tools; empty: all tools. */
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
  const turns = createFairTurns(now);
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
      const queueKey = queueKeyOf(ticket);
      turns.note(queueKey);
      const ofQueue = queues.get(queueKey);
      if (ofQueue === undefined) return;
      for (const [filter, { used, next }] of ofQueue) {
        const lowest = Math.max(used.priority, next.priority);
        if (ticket.priority < lowest) ofQueue.delete(filter);
      }
    },

    reset(queueKey) {
      turns.note(queueKey);
      queues.delete(queueKey);
    },
    turns,
  };
}

function isBelow(one: QueuePosition, other: QueuePosition): boolean {
  return one.priority === other.priority ? one.seq < other.seq : one.priority < other.priority;
}
