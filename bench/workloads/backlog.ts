import { openEngine } from '../support/engine-process.ts';
import { inLanes, times } from '../support/lanes.ts';
import { chainOf } from '../support/noop-kind.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface BacklogParams {
  readonly executions: number;
}

const STARTS_IN_FLIGHT = 512;
const PARTS = 10;

/**
 * A scheduler drains executions of one step, and begins when all of them exist. The workload
 * measures whether the rate stays constant while rows of completed executions pile up among the
 * waiting ones.
 */
export async function measure(given: GivenWorkload<BacklogParams>): Promise<void> {
  const { database, params, window } = given;
  const { executions } = params;
  const drained = Promise.withResolvers<void>();
  /** When each part was done; the first entry is the start. */
  const marksMs: number[] = [];
  let ended = 0;
  const engine = await openEngine({
    database,
    onEnded() {
      ended += 1;
      if (ended % Math.floor(executions / PARTS) === 0) marksMs.push(performance.now());
      if (ended === executions) drained.resolve();
    },
  });
  await engine.register('bench', chainOf(1, 'noop'));
  await inLanes(STARTS_IN_FLIGHT, times(executions), () => engine.start('bench'));
  await window(async () => {
    marksMs.push(performance.now());
    engine.startScheduler();
    await drained.promise;
    const parts = marksMs.slice(1).map((mark, index) => mark - (marksMs[index] ?? 0));
    const rates = parts.map((ms) => executions / PARTS / (ms / 1_000));
    // The first part includes the start-up: a comparison with it alone would hide every slowdown.
    const first = Math.max(...rates.slice(0, 3));
    return {
      units: executions,
      executions,
      p50Ms: 0,
      p99Ms: 0,
      extra: {
        last_to_first_deciles: (rates.at(-1) ?? 0) / first,
        ...Object.fromEntries(rates.map((rate, index) => [`decile_${index + 1}_per_second`, rate])),
      },
    };
  });
  await engine.close();
}
