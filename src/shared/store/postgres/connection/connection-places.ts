import { StoreUnavailableError } from '../../unavailable.ts';

/**
 * Limits the calls at a time, in order of arrival. A call that has waited too long for a place
 * fails, because the database counts as unavailable.
 */
export interface ConnectionPlaces {
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  readonly enter: () => void;
}

export function createConnectionPlaces(given: {
  readonly placesMax: number;
  readonly waitMsMax: number;
}): ConnectionPlaces {
  const { placesMax, waitMsMax } = given;
  const queue = new Set<Waiting>();
  let taken = 0;

  async function enter(): Promise<void> {
    if (taken < placesMax) {
      taken += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { enter: resolve };
    queue.add(waiting);
    const timer = setTimeout(() => {
      queue.delete(waiting);
      const message = `no database connection became free within ${waitMsMax} ms`;
      reject(new StoreUnavailableError(message, { ambiguous: false }));
    }, waitMsMax);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The place goes to the call that has waited longest. */
  function leave(): void {
    const [next] = queue;
    if (next === undefined) {
      taken -= 1;
      return;
    }
    queue.delete(next);
    next.enter();
  }

  return {
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
