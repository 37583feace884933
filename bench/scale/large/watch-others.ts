import { setTimeout as rest } from 'node:timers/promises';

import { quantile } from '../../support/statistics.ts';

const REST_MS = 50;

export interface OthersUse {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** Repeats one small piece of work, one at a time, until `end` is called. */
export function watchOthers(work: () => Promise<void>) {
  const took: number[] = [];
  const ending = new AbortController();
  const working = (async () => {
    while (!ending.signal.aborted) {
      const began = performance.now();
      await work();
      took.push(performance.now() - began);
      await rest(REST_MS);
    }
  })();
  return {
    async end(): Promise<OthersUse> {
      ending.abort();
      await working;
      const sorted = took.toSorted((one, other) => one - other);
      return {
        p50Ms: quantile(sorted, 0.5),
        p95Ms: quantile(sorted, 0.95),
        maxMs: sorted.at(-1) ?? 0,
      };
    },
  };
}
