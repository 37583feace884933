import { makeWorkerUtils, run } from 'graphile-worker';

import type { GivenWorkload } from '../support/workload.ts';
import { BACKLOG, createEnds, type PeerParams, runPeer } from './run-peer.ts';

/** Jobs of one step, taken and completed in batches, as its page on performance advises. */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const { inFlight } = params;
  const utils = await makeWorkerUtils({ connectionString: database.url });
  await utils.migrate();
  const ends = createEnds();
  const runner = await run({
    connectionString: database.url,
    noHandleSignals: true,
    taskList: { step: async (payload) => ends.ended((payload as { number: number }).number) },
    preset: {
      worker: {
        connectionString: database.url,
        concurrentJobs: inFlight,
        maxPoolSize: 20,
        localQueue: { size: inFlight * BACKLOG },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  const lanes = { ...given, params: { ...params, inFlight: inFlight * BACKLOG } };
  await runPeer(lanes, () => ends.run((number) => utils.addJob('step', { number })));
  await runner.stop();
  await utils.release();
}
