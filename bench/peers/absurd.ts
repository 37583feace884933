import { execFileSync } from 'node:child_process';
import { Absurd } from 'absurd-sdk';

import type { GivenWorkload } from '../support/workload.ts';
import { BACKLOG, createEnds, type PeerParams, runPeer, stepNumbers } from './run-peer.ts';

/**
 * The process that spawns the tasks also runs the worker. The peer's own tool writes the schema.
 */
export async function measure(given: GivenWorkload<PeerParams>): Promise<void> {
  const { database, params } = given;
  const tool = new URL('node_modules/.absurdctl', import.meta.url).pathname;
  execFileSync(`${tool}/bin/absurdctl`, ['init', '-d', database.url], {
    env: { ...process.env, PYTHONPATH: tool },
    stdio: 'inherit',
  });
  const absurd = new Absurd({ db: database.url });
  await absurd.createQueue('default');
  const ends = createEnds();
  absurd.registerTask<{ readonly number: number }>({ name: 'chain' }, async (input, context) => {
    for (const step of stepNumbers(params)) {
      await context.step(`step${step}`, () => Promise.resolve({}));
    }
    ends.ended(input.number);
    return null;
  });
  const worker = await absurd.startWorker({ concurrency: params.inFlight });
  const lanes = { ...given, params: { ...params, inFlight: params.inFlight * BACKLOG } };
  await runPeer(lanes, () => ends.run((number) => absurd.spawn('chain', { number })));
  await worker.close();
  await absurd.close();
}
