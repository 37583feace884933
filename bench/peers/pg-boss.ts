import { PgBoss } from 'pg-boss';

import type { GivenWorkload } from '../support/workload.ts';
import { BACKLOG, createEnds, type PeerParams, runPeer } from './run-peer.ts';

/** Jobs of one step, fetched in full batches without a pause, and completed a batch at a time. */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const { inFlight } = params;
  const boss = new PgBoss({ connectionString: database.url, max: 20, useListenNotify: true });
  boss.on('error', (error: unknown) => console.error(error));
  await boss.start();
  await boss.createQueue('steps', { notify: true });
  const ends = createEnds();
  await boss.work<{ number: number }>(
    'steps',
    { batchSize: inFlight, burstWhenBatchFull: true },
    async (jobs) => {
      for (const { data } of jobs) ends.ended(data.number);
    },
  );
  const lanes = { ...given, params: { ...params, inFlight: inFlight * BACKLOG } };
  await runPeer(lanes, () => ends.run((number) => boss.send('steps', { number })));
  await boss.stop({ graceful: false });
}
