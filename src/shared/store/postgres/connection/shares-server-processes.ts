import { randomUUID } from 'node:crypto';

import pg from 'pg';

import { clientConfig, startSession, type ConnectionSettings } from './connect.ts';
import { translateError } from './errors.ts';

/**
 * Behind a pooler in transaction mode two clients that take turns are given the same server process,
 * and one finds what the other has set. Directly, or pooled by session, they never are.
 */
export async function sharesServerProcesses(settings: ConnectionSettings): Promise<boolean> {
  const mark = randomUUID();
  const [one, other] = [
    new pg.Client(clientConfig(settings)),
    new pg.Client(clientConfig(settings)),
  ];
  try {
    for (const client of [one, other]) {
      client.on('error', () => undefined);
      await client.connect();
      await startSession(client, settings);
    }
    await one.query(`select set_config('svc.doctor', $1, false)`, [mark]);
    const { rows } = await other.query<{ readonly found: string | null }>(
      `select current_setting('svc.doctor', true) as found`,
    );
    return rows[0]?.found === mark;
  } catch (error) {
    throw translateError(error, { mayBeCarriedOut: false });
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}
