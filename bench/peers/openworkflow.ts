import { OpenWorkflow } from 'openworkflow';
import { BackendPostgres } from 'openworkflow/postgres';

import type { GivenWorkload } from '../support/workload.ts';
import { BACKLOG, createEnds, type PeerParams, runPeer, stepNumbers } from './run-peer.ts';

/**
 * The process that starts the runs also runs the worker. The worker polls for runs, and pauses for
 * 100 ms when all its slots are taken. It therefore gets more slots than runs are in flight: with
 * 16 it is slower.
 */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const backend = await BackendPostgres.connect(database.url);
  const client = new OpenWorkflow({ backend });
  const ends = createEnds();
  const chain = client.defineWorkflow<{ readonly number: number }, null>(
    { name: 'chain' },
    async ({ input, step }) => {
      for (const place of stepNumbers(params)) {
        await step.run({ name: `step${place}` }, () => Promise.resolve({}));
      }
      ends.ended(input.number);
      return null;
    },
  );
  const concurrency = params.inFlight * BACKLOG;
  const worker = client.newWorker({ concurrency });
  await worker.start();
  const lanes = { ...given, params: { ...params, inFlight: concurrency } };
  await runPeer(lanes, () => ends.run((number) => chain.run({ number })));
  await worker.stop();
  await backend.stop();
}
