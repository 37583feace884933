import { DBOS } from '@dbos-inc/dbos-sdk';

import type { GivenWorkload } from '../support/workload.ts';
import { type PeerParams, runPeer, stepNumbers } from './run-peer.ts';

/** The process that starts the workflows also runs them, as in the first example of its docs. */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const noop = (): Promise<object> => Promise.resolve({});
  const chain = DBOS.registerWorkflow(
    async () => {
      for (const step of stepNumbers(params)) await DBOS.runStep(noop, { name: `step${step}` });
    },
    { name: 'chain' },
  );
  const fan = DBOS.registerWorkflow(
    async () => {
      await Promise.all(
        stepNumbers(params).map((step) => DBOS.runStep(noop, { name: `step${step}` })),
      );
    },
    { name: 'fan' },
  );
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: database.url,
    systemDatabasePoolSize: 20,
    logLevel: 'error',
  });
  await DBOS.launch();
  const workflow = params.shape === 'chain' ? chain : fan;
  await runPeer(given, async () => {
    const handle = await DBOS.startWorkflow(workflow)();
    await handle.getResult();
  });
  await DBOS.shutdown();
}
