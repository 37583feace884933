import type { ServerClient } from './server-client.ts';
import type { ConnectionSettings } from './session.ts';
import { sharesServerProcesses } from './shares-server-processes.ts';

/** A pooler in transaction mode is where the program needs sessions; the message says what to do. */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

/** For the start of a process: throws behind a pooler in transaction mode. */
export async function refuseSharedSessions(
  client: ServerClient,
  settings: ConnectionSettings,
  { isDirect = false }: { readonly isDirect?: boolean } = {},
): Promise<void> {
  if (!(await sharesServerProcesses(settings, client))) return;
  const place = isDirect ? 'behind database.direct_url' : 'between this process and PostgreSQL';
  throw new PoolerError(
    `a pooler in transaction mode is ${place}, and locks, notifications and migrations need a ` +
      'session: keep database.url, and set database.direct_url (SVC_DATABASE_DIRECT_URL) to a URL ' +
      'that leads past the pooler',
  );
}
