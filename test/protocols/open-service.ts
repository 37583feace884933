import { readFile } from 'node:fs/promises';

import { openDatabase } from '../fuzz/open-target.ts';
import { startRuntime } from '../support/runtime.ts';

export interface Service {
  readonly url: string;
  /** Null: the service requires no token. */
  readonly token: string | null;
  close(): Promise<void>;
}

/** Starts a real process of the service with its own database, and registers the kits' agent. */
export async function openService(options: { readonly open: boolean }): Promise<Service> {
  const database = await openDatabase('sqlite');
  const runtime = await startRuntime({
    databaseUrl: database.url,
    env: { SVC_LOG_LEVEL: 'error', ...(options.open && { SVC_AUTH_ENABLED: 'false' }) },
  });
  const close = async () => {
    await runtime.end('SIGTERM');
    await database.close();
  };
  const agent = await readFile(new URL('a2a/agent.json', import.meta.url), 'utf8');
  const body = { ir: JSON.parse(agent) as unknown };
  const { status } = await runtime.request({ method: 'POST', path: '/workflows', body });
  if (status !== 201) {
    await close();
    throw new Error(`the agent was not registered: ${status}`);
  }
  return { url: runtime.url, token: options.open ? null : runtime.apiKey, close };
}
