import { OpenWorkflow } from 'openworkflow';
import { BackendPostgres } from 'openworkflow/postgres';

import type { GivenWorkload } from '../support/workload.ts';
import { type PeerParams, runPeer, stepNumbers } from './run-peer.ts';

/** A worker in the process that starts the runs, which it finds by polling; it has no wake-up. */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const backend = await BackendPostgres.connect(database.url);
  const client = new OpenWorkflow({ backend });
  const chain = client.defineWorkflow({ name: 'chain' }, async ({ step }) => {
    for (const number of stepNumbers(params)) {
      await step.run({ name: `step${number}` }, () => Promise.resolve({}));
    }
  });
  const worker = client.newWorker({ concurrency: params.inFlight });
  await worker.start();
  await runPeer(given, async () => {
    const handle = await chain.run();
    await handle.result();
  });
  await worker.stop();
  await backend.stop();
}
