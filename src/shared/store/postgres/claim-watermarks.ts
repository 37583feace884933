import type { WorkTicket } from '../../domain/work/work-item.ts';

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
 */

const TRAIL_MS = 50;
const SWEEP_MS = 1_000;
const SWEEP_WHEN_EMPTY_MS = 100;
/** Queues are tenants times two; past this many, all begin anew. */
const QUEUES_MAX = 10_000;

export interface QueuePosition {
  readonly priority: number;
  readonly seq: number;
}

const HEAD: QueuePosition = { priority: 0, seq: 0 };

export interface ClaimWatermarks {
  /**
   * Where a claim on this queue may begin. `scope` tells claims of different shards apart;
   * `cameBackEmpty`: the claim was tried a moment ago and found nothing.
   */
  start(queueKey: string, scope: string, cameBackEmpty: boolean): QueuePosition;
  /** A claim took everything it could up to here. */
  noteClaimed(queueKey: string, scope: string, last: QueuePosition): void;
  noteEnqueued(ticket: WorkTicket): void;
  /** Something was added to this queue that may stand anywhere. */
  reset(queueKey: string): void;
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
  const watermarks = new Map<string, Watermark>();
  return {
    start(queueKey, scope, cameBackEmpty) {
      const watermark = watermarks.get(queueKey);
      if (watermark === undefined || watermark.scope !== scope) return HEAD;
      const time = now();
      if (time - watermark.sweptAt >= (cameBackEmpty ? SWEEP_WHEN_EMPTY_MS : SWEEP_MS)) {
        watermark.sweptAt = time;
        return HEAD;
      }
      return watermark.used;
    },

    noteClaimed(queueKey, scope, last) {
      const time = now();
      const watermark = watermarks.get(queueKey);
      if (watermark === undefined || watermark.scope !== scope) {
        if (watermarks.size >= QUEUES_MAX) watermarks.clear();
        const fresh = { scope, used: HEAD, next: last, nextSince: time, sweptAt: time };
        watermarks.set(queueKey, fresh);
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
      const key = queueKeyOf(ticket.tenantId, ticket.queue);
      const watermark = watermarks.get(key);
      if (watermark === undefined) return;
      const lowest = Math.max(watermark.used.priority, watermark.next.priority);
      if (ticket.priority < lowest) watermarks.delete(key);
    },

    reset(queueKey) {
      watermarks.delete(queueKey);
    },
  };
}

function isBelow(one: QueuePosition, other: QueuePosition): boolean {
  return one.priority === other.priority ? one.seq < other.seq : one.priority < other.priority;
}

export function queueKeyOf(tenantId: string | null, queue: string): string {
  return queue === 'engine' ? 'engine' : `${tenantId}/${queue}`;
}
