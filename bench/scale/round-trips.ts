import { fork } from 'node:child_process';
import { once } from 'node:events';

import { openDatabases } from '../support/databases.ts';
import { freePort } from '../../test/support/servers/ports.ts';
import { type Experiment, measureChains, rounded, type Row } from './experiment.ts';

const PROXY = new URL('slow-proxy.ts', import.meta.url);

/**
 * Emulates a network: a proxy between engine and database delays every packet in both directions.
 */
export const roundTrips: Experiment = {
  name: 'round-trips',
  what: 'B with a proxy between engine and database that adds to each round trip',
  async run({ seconds, progress }) {
    const rows: Row[] = [];
    const databases = await openDatabases();
    try {
      for (const inFlight of [1, 16, 256]) {
        let direct = 0;
        for (const addedMs of [0, 0.5, 1, 2]) {
          progress(`${inFlight} in flight, ${addedMs} ms`);
          const database = await databases.create('postgres');
          const proxy = await startProxy(database.url, addedMs);
          const { readServer, dialect } = database;
          const { url } = proxy;
          const measured = await measureChains({ dialect, url, readServer }, { inFlight, seconds });
          if (addedMs === 0) direct = measured.perSecond;
          rows.push({
            'in flight': inFlight,
            'added ms': addedMs,
            'steps /s': rounded(measured.perSecond),
            'to the proxy that adds nothing':
              direct === 0 ? '–' : rounded(measured.perSecond / direct, 2),
            'p50 ms of ten steps': rounded(measured.p50Ms, 1),
            'statements a step': rounded(measured.statements, 3),
          });
          proxy.stop();
          await database.drop();
        }
      }
      return rows;
    } finally {
      await databases.close();
    }
  },
};

async function startProxy(target: string, addedMs: number) {
  const to = new URL(target);
  const port = await freePort();
  const child = fork(PROXY, [JSON.stringify({ port, to: Number(to.port), addedMs })]);
  await once(child, 'message');
  to.port = String(port);
  return { url: to.href, stop: () => child.disconnect() };
}
