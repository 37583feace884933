import { createLatencies } from '../support/lanes.ts';
import type { GivenWorkload } from '../support/workload.ts';
import { runRecall } from './recall.ts';

export interface RecallWindowParams {
  readonly facts: number;
  readonly recallsPerSecond: number;
}

/** The recalls of `npm run bench:recall`, as a workload beside the others. */
export async function measure(given: GivenWorkload<RecallWindowParams>): Promise<void> {
  const { database, params, seconds, window } = given;
  const latencies = createLatencies();
  await runRecall({
    dialect: database.dialect,
    database,
    facts: params.facts,
    recalls: Math.ceil(params.recallsPerSecond * seconds),
    inFlight: 1,
    onRecall: (ms) => latencies.add(ms),
    measured: (run) =>
      window(async () => {
        await run();
        return { units: latencies.all().length, executions: 0, ...latencies.summary() };
      }),
  });
}
