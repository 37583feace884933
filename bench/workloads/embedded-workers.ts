import { openEmbedded } from 'svc-sdk/embedded';

import { summarizeHandOffs } from '../support/hand-offs.ts';
import { runServed, warmUpServed } from '../support/run-served.ts';
import { createMeasuredWorker, type ServedSteps } from '../support/served-steps.ts';
import type { GivenWorkload } from '../support/workload.ts';

export interface EmbeddedWorkersParams extends ServedSteps {
  readonly inFlight: number;
  readonly workers: number;
}

/** An embedded durable function: runtime, workers and client share this process, without HTTP. */
export async function measure(given: GivenWorkload<EmbeddedWorkersParams>): Promise<void> {
  const { database, params, window } = given;
  const { as, steps, inFlight, workers } = params;
  const embedded = await openEmbedded({ database: database.url });
  const started = Array.from({ length: workers }, (_, index) => {
    const { worker, takeTimes } = createMeasuredWorker(
      { as, steps },
      {
        ...embedded.connection,
        workerId: `bench-${index}`,
        concurrency: Math.ceil(inFlight / workers),
      },
    );
    return { worker, takeTimes, running: worker.run() };
  });
  await Promise.all(started.map(({ worker }) => worker.ready));
  await warmUpServed(given, embedded.client);
  const takeAll = () => started.flatMap(({ takeTimes }) => takeTimes());
  takeAll();
  await window(async () => ({
    ...(await runServed(given, embedded.client)),
    extra: summarizeHandOffs(takeAll()),
  }));
  await Promise.all(started.map(({ worker }) => worker.stop()));
  await Promise.all(started.map(({ running }) => running));
  await embedded.stop();
}
