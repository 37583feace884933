import { randomUUID } from 'node:crypto';

import { translateError } from './errors.ts';
import { ServerClient } from './server-client.ts';
import { startSession, type ConnectionSettings } from './session.ts';

/**
 * Behind a pooler in transaction mode two clients that take turns are given the same server process,
 * and one finds what the other has set. Directly, or pooled by session, they never are.
 */
export async function sharesServerProcesses(settings: ConnectionSettings): Promise<boolean> {
  const mark = randomUUID();
  await settings.servers.find();
  const [one, other] = [new ServerClient(settings), new ServerClient(settings)];
  try {
    for (const client of [one, other]) {
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
