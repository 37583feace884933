import type { QuotaQueue } from '../../domain/work/quota.ts';

/**
 * In which order the queues below quotas are looked at, and which need no look yet. Queues that take
 * tokens of one bucket, or places of one quota, take turns, so none of them gets all. A queue whose bucket is empty
 * costs no statement until its next token comes: others may take that one, but none comes earlier. A token that
 * comes during a round waits for the next one: a queue that found none would otherwise be passed over.
 *
 * Queues of one quota may have different limits. One that finds no place below its limit holds the others back until
 * it has had a turn: with higher limits they would take each place that becomes free, and it would wait forever.
 */
export interface QuotaTurns {
  order(queues: readonly QuotaQueue[]): readonly Turn[];
  /** After an admission: until then, the bucket has no token. */
  noteEmpty(queue: QuotaQueue, nextTokenMs: number): void;
  /** The queue has had its turn. */
  noteServed(queue: QuotaQueue): void;
  /** The queue has found no place below its limit. */
  noteFull(queue: QuotaQueue): void;
  /** Another queue of its quota comes first. */
  isHeldBack(queue: QuotaQueue): boolean;
  /** How long the bucket of a queue has no token; 0: it may have one. */
  emptyMs(queue: QuotaQueue): number;
}

export interface Turn {
  readonly queue: QuotaQueue;
  /** How many queues of the round share its bucket, or its places and limit, with itself. */
  readonly sharers: number;
}

export function createQuotaTurns(now: () => number): QuotaTurns {
  const emptyUntil = new Map<string, number>();
  const lastServed = new Map<string, string>();
  const nextServed = new Map<string, string>();

  return {
    order(queues) {
      const roundAt = now();
      for (const [rate, until] of emptyUntil) if (until <= roundAt) emptyUntil.delete(rate);
      const listed = new Set(queues.map(({ waiting }) => waiting));
      for (const [quota, next] of nextServed) if (!listed.has(next)) nextServed.delete(quota);
      const groups = Map.groupBy(queues, sharedBy);
      const sharers = Map.groupBy(queues, shareOf);
      for (const key of lastServed.keys()) if (!groups.has(key)) lastServed.delete(key);
      return [...groups].flatMap(([key, group]) => {
        const last = lastServed.get(key);
        const first = group.findIndex(({ waiting }) => last !== undefined && waiting > last);
        return [...group.slice(Math.max(first, 0)), ...group.slice(0, Math.max(first, 0))].map(
          (queue) => ({ queue, sharers: sharers.get(shareOf(queue))?.length ?? 1 }),
        );
      });
    },

    noteEmpty(queue, nextTokenMs) {
      if (nextTokenMs <= 0) return;
      emptyUntil.set(rateOf(queue), now() + nextTokenMs);
      letOthers(queue);
    },

    noteServed(queue) {
      lastServed.set(sharedBy(queue), queue.waiting);
      letOthers(queue);
    },

    noteFull({ quota, waiting }) {
      if (!nextServed.has(quota)) nextServed.set(quota, waiting);
    },

    isHeldBack({ quota, waiting }) {
      const next = nextServed.get(quota);
      return next !== undefined && next !== waiting;
    },

    emptyMs(queue) {
      if (queue.bucket === null) return 0;
      const until = emptyUntil.get(rateOf(queue));
      return until === undefined ? 0 : Math.max(1, until - now());
    },
  };

  function letOthers({ quota, waiting }: QuotaQueue): void {
    if (nextServed.get(quota) === waiting) nextServed.delete(quota);
  }
}

/** Names what the queues of a group share. */
function sharedBy({ bucket, quota }: QuotaQueue): string {
  return bucket === null ? `places ${quota}` : `tokens ${bucket.key}`;
}

/** Names what they share as equals. */
function shareOf(queue: QuotaQueue): string {
  const shared = sharedBy(queue);
  return queue.bucket === null ? `${queue.limit} ${shared}` : shared;
}

/** Versions may give one bucket different rates: each has its own next token. */
function rateOf({ bucket }: QuotaQueue): string {
  return `${bucket?.intervalUs}.${bucket?.burst}.${bucket?.key}`;
}
