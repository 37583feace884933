import type { QuotaQueue } from '../../domain/work/quota.ts';

/**
 * In which order the queues below quotas are looked at, and which need no look yet. Queues that take
 * tokens of one bucket, or places of one quota, take turns, so none of them gets all. A queue whose bucket is empty
 * costs no statement until its next token comes: others may take that one, but none comes earlier. A token that
 * comes during a round waits for the next one: a queue that found none would otherwise be passed over.
 */
export interface QuotaTurns {
  order(queues: readonly QuotaQueue[]): readonly Turn[];
  /** After an admission: until then, the bucket has no token. */
  noteEmpty(queue: QuotaQueue, nextTokenMs: number): void;
  /** The queue has had its turn. */
  noteServed(queue: QuotaQueue): void;
  /** How long the bucket of a queue has no token; 0: it may have one. */
  emptyMs(queue: QuotaQueue): number;
}

export interface Turn {
  readonly queue: QuotaQueue;
  /** How many queues of the round share its bucket, or its places, with itself. */
  readonly sharers: number;
}

export function createQuotaTurns(now: () => number): QuotaTurns {
  const emptyUntil = new Map<string, number>();
  const lastServed = new Map<string, string>();

  return {
    order(queues) {
      const roundAt = now();
      for (const [rate, until] of emptyUntil) if (until <= roundAt) emptyUntil.delete(rate);
      const groups = Map.groupBy(queues, sharedBy);
      for (const key of lastServed.keys()) if (!groups.has(key)) lastServed.delete(key);
      return [...groups].flatMap(([key, group]) => {
        const last = lastServed.get(key);
        const first = group.findIndex(({ waiting }) => last !== undefined && waiting > last);
        return [...group.slice(Math.max(first, 0)), ...group.slice(0, Math.max(first, 0))].map(
          (queue) => ({ queue, sharers: group.length }),
        );
      });
    },

    noteEmpty(queue, nextTokenMs) {
      if (nextTokenMs > 0) emptyUntil.set(rateOf(queue), now() + nextTokenMs);
    },

    noteServed(queue) {
      lastServed.set(sharedBy(queue), queue.waiting);
    },

    emptyMs(queue) {
      if (queue.bucket === null) return 0;
      const until = emptyUntil.get(rateOf(queue));
      return until === undefined ? 0 : Math.max(1, until - now());
    },
  };
}

/** Names what the queues of a group share. */
function sharedBy({ bucket, quota }: QuotaQueue): string {
  return bucket === null ? `places ${quota}` : `tokens ${bucket.key}`;
}

/** Versions may give one bucket different rates: each has its own next token. */
function rateOf({ bucket }: QuotaQueue): string {
  return `${bucket?.intervalUs}.${bucket?.burst}.${bucket?.key}`;
}
