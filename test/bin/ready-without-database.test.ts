import test from 'ava';

import { freePort } from '../support/servers/ports.ts';
import { startPostgresServer } from '../support/servers/postgres-server.ts';
import { startProgram } from '../support/processes.ts';
import { eventually } from '../support/eventually.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

test('503: ready reports to every caller that the database is away, from the moment it stops', async (t) => {
  const server = await startPostgresServer();
  const port = await freePort();
  const env = { SVC_DATABASE_URL: server.url, SVC_TELEMETRY_METRICS_PORT: 'off' };
  const program = await startProgram({
    entry: 'svc',
    args: ['serve', '--role', 'api', '--port', String(port)],
    env: { ...env, SVC_AUTH_API_KEY: 'the-key-of-this-test-0123456789abcdef' },
  });
  t.teardown(() => program.end('SIGTERM'));
  const made = await runSvc(['token', 'create', '--role', 'viewer', '--name', 'probe'], {
    cwd: folder.path,
    env,
  });
  const token = made.stdout.trim();
  const ask = async (shown: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/ready`, {
      headers: { authorization: `Bearer ${shown}` },
    });
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, body };
  };
  await eventually(async () => {
    const { status } = await ask(token);
    if (status !== 200) throw new Error(`ready answers ${status}`);
  });

  await server.stop();
  const seen = await eventually(async () => {
    const answer = await ask(token);
    t.deepEqual(Object.keys(answer.body), ['status', 'version', 'db'], JSON.stringify(answer));
    if (answer.status === 200) throw new Error('still ready');
    return answer;
  });
  t.is(seen.status, 503);
  t.like(seen.body, { status: 'unavailable', db: 'disconnected' });
  // By now the process has dropped cached tokens and tenants, and the last ping.
  const until = performance.now() + 4_000;
  while (performance.now() < until) {
    for (const shown of [token, 'the-key-of-this-test-0123456789abcdef', 'svc_of_nobody']) {
      const answer = await ask(shown);
      t.deepEqual(answer, seen, shown);
    }
  }
});
