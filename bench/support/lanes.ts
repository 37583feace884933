import { quantile } from './statistics.ts';

/** Runs `task` in `width` lanes; each lane repeats it until `until` returns true. */
export async function inLanes(
  width: number,
  until: () => boolean,
  task: (lane: number) => Promise<void>,
): Promise<void> {
  const lane = async (index: number): Promise<void> => {
    while (!until()) await task(index);
  };
  await Promise.all(Array.from({ length: width }, (_, index) => lane(index)));
}

/** True once `seconds` have passed. */
export function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
}

/** Long enough to compile nearly all code of every subject; the same for each. */
export function warmUpSeconds(seconds: number): number {
  return Math.max(1, seconds / 2);
}

/** True after `count` calls. */
export function times(count: number): () => boolean {
  let asked = 0;
  return () => (asked += 1) > count;
}

/** The durations of many tasks. */
export interface Latencies {
  time(task: () => Promise<unknown>): Promise<void>;
  add(ms: number): void;
  all(): readonly number[];
  summary(): { readonly p50Ms: number; readonly p99Ms: number };
}

export function createLatencies(): Latencies {
  const taken: number[] = [];
  return {
    async time(task) {
      const began = performance.now();
      await task();
      taken.push(performance.now() - began);
    },
    add: (ms) => void taken.push(ms),
    all: () => taken,
    summary() {
      const sorted = taken.toSorted((left, right) => left - right);
      return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
    },
  };
}
