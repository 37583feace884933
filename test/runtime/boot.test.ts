import test, { type ExecutionContext } from 'ava';

import { boot } from '../../src/runtime/boot.ts';
import type { ProcessRole } from '../../src/shared/config/listeners.ts';
import { loadConfig } from '../../src/shared/config/load.ts';
import { locateDatabase } from '../../src/shared/config/database-url.ts';
import { createLogger } from '../../src/shared/telemetry/log.ts';
import { createTestDatabase } from '../support/database.ts';
import { sendRequest } from '../support/http.ts';
import { freePort } from '../support/servers/ports.ts';

/* A process is asked to stop at the moment when its probes listen: the last step before its loops begin. */

const STOP = { leaveMs: 0, deadlineMs: 10_000 };

test('an API that listens is given to be stopped, so that its requests are answered', async (t) => {
  const runtime = await bootAndAbort(t, 'all');
  t.is((await sendRequest(runtime.url ?? '', { path: '/health' })).status, 200);
  await runtime.stop(STOP);
  await t.throwsAsync(sendRequest(runtime.url ?? '', { path: '/health' }));
});

test('a scheduler has no requests, so its start is broken off', async (t) => {
  await t.throwsAsync(bootAndAbort(t, 'scheduler'), { name: 'AbortError' });
});

async function bootAndAbort(t: ExecutionContext, role: ProcessRole) {
  const database = await createTestDatabase(role === 'scheduler' ? 'postgres' : 'sqlite');
  t.teardown(() => database.drop());
  const stopping = new AbortController();
  const destination = {
    write: (line: string) => void (line.includes('probes on') && stopping.abort()),
  };
  const { config, location } = await configOf(database.url);
  return boot({
    config,
    database: location,
    role,
    processId: 'test',
    log: createLogger({
      level: 'info',
      format: 'json',
      redactState: false,
      base: {},
      destination,
    }),
    databaseWaitMs: 0,
    signal: stopping.signal,
    env: {},
  });
}

async function configOf(url: string) {
  const flags = {
    'runtime.port': String(await freePort()),
    'telemetry.metrics_port': String(await freePort()),
    'auth.api_key': 'k9Qm2vX7pL4tR8wZ1nB6yH3c',
  };
  const cwd = process.cwd();
  const loaded = loadConfig({ flags, env: {}, configFile: null, cwd, mode: 'serve' });
  if (!loaded.ok) throw new Error(loaded.problems.join('; '));
  const located = locateDatabase({ ...loaded.config.database, url }, { cwd });
  if (!located.ok) throw new Error(located.problem);
  return { config: loaded.config, location: located.location };
}
