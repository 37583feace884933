import { fullPool } from './errors.ts';

/**
 * Limits the calls at a time, in order of arrival. A call that has waited too long for a place
 * fails, because the database counts as unavailable.
 *
 * Once the call at the head of the line has waited for long, the newest goes first: the line is longer
 * than callers may wait, and who waits at its head has perhaps left and asks again at its end. In order
 * of arrival, places would then go to none but callers that have left.
 */
export interface ConnectionPlaces {
  readonly waiting: number;
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  readonly enter: () => void;
  readonly since: number;
}

/** The share of the longest wait after which the newest goes first. */
const PATIENCE = 1 / 2;

export function createConnectionPlaces(given: {
  readonly placesMax: number;
  readonly waitMsMax: number;
  readonly now?: () => number;
}): ConnectionPlaces {
  const { placesMax, waitMsMax, now = () => performance.now() } = given;
  const queue: Waiting[] = [];
  let taken = 0;

  async function enter(): Promise<void> {
    if (taken < placesMax) {
      taken += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { enter: resolve, since: now() };
    queue.push(waiting);
    const timer = setTimeout(() => {
      const index = queue.indexOf(waiting);
      // It has just got a place.
      if (index === -1) return;
      queue.splice(index, 1);
      reject(fullPool(waitMsMax));
    }, waitMsMax);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Passes the place on. */
  function leave(): void {
    const [oldest] = queue;
    if (oldest === undefined) {
      taken -= 1;
      return;
    }
    const isLate = now() - oldest.since > waitMsMax * PATIENCE;
    const next = isLate ? queue.pop() : queue.shift();
    next?.enter();
  }

  return {
    get waiting() {
      return queue.length;
    },
    async hold(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
