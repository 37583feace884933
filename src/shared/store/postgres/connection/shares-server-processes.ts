import { randomUUID } from 'node:crypto';

import { translateError } from './errors.ts';
import { ServerClient } from './server-client.ts';
import { startSession, type ConnectionSettings } from './session.ts';

/**
 * Behind a pooler in transaction mode two clients that take turns are given the same server process,
 * and one finds what the other has set. Directly, or pooled by session, they never are. A pooler gives
 * its clients a process number of its own, so most questions open one connection: none if the caller
 * has one.
 */
export async function sharesServerProcesses(
  settings: ConnectionSettings,
  given: ServerClient | null = null,
): Promise<boolean> {
  await settings.servers.find();
  const one = given ?? new ServerClient(settings);
  const other = new ServerClient(settings);
  try {
    if (given === null) await begin(one, settings);
    if (await isDirect(one)) return false;
    await begin(other, settings);
    const mark = randomUUID();
    await one.query(`select set_config('svc.doctor', $1, false)`, [mark]);
    const { rows } = await other.query<{ readonly found: string | null }>(
      `select current_setting('svc.doctor', true) as found`,
    );
    return rows[0]?.found === mark;
  } catch (error) {
    throw translateError(error, { mayBeCarriedOut: false });
  } finally {
    await Promise.allSettled([given === null ? one.end() : null, other.end()]);
  }
}

async function begin(client: ServerClient, settings: ConnectionSettings): Promise<void> {
  await client.connect();
  await startSession(client, settings);
}

async function isDirect(client: ServerClient): Promise<boolean> {
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid === client.processId;
}
