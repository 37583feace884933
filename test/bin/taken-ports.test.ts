import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { createTestDatabase, type Dialect } from '../support/database.ts';
import type { Entry } from '../support/program-of.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* A program whose port another process uses says so in one line, and has begun nothing by then. */

const folder = createFolder();
test.after.always(() => folder.remove());

const PROGRAMS: readonly (readonly [Entry, Dialect, readonly string[]])[] = [
  ['svc', 'sqlite', ['serve']],
  ['svc', 'postgres', ['serve']],
  ['svc-api', 'postgres', []],
  ['svc-scheduler', 'postgres', []],
];

for (const [program, dialect, args] of PROGRAMS) {
  test.serial(`1: ${program} on ${dialect} whose metrics port is taken`, async (t) => {
    await checkRefused(t, {
      program,
      dialect,
      args,
      env: { SVC_TELEMETRY_METRICS_PORT: await takePort(t), SVC_PORT: String(await freePort()) },
      error:
        /^error: cannot serve metrics and probes on \S+ port \d+: another process uses it; choose another port with telemetry\.metrics_port or SVC_TELEMETRY_METRICS_PORT$/,
    });
  });

  if (program === 'svc-scheduler') continue;
  test.serial(`1: ${program} on ${dialect} whose port is taken`, async (t) => {
    await checkRefused(t, {
      program,
      dialect,
      args,
      env: { SVC_TELEMETRY_METRICS_PORT: 'off', SVC_PORT: await takePort(t) },
      error:
        /^error: cannot listen on \S+ port \d+: another process uses it; stop that process, or choose another port with --port or SVC_PORT$/,
    });
  });
}

async function checkRefused(
  t: ExecutionContext,
  of: {
    readonly program: Entry;
    readonly dialect: Dialect;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly error: RegExp;
  },
): Promise<void> {
  const database = await createTestDatabase(of.dialect);
  t.teardown(() => database.drop());
  const env = {
    ...of.env,
    SVC_DATABASE_URL: database.url,
    SVC_AUTH_API_KEY: 'a-key-of-this-test-alone',
  };
  const { program, args } = of;
  const { code, stdout, stderr } = await runSvc(args, { cwd: folder.path, env, program });
  t.is(code, 1, stderr);
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  t.is(errors.length, 1, stderr);
  t.regex(errors[0] ?? '', of.error);
  t.notRegex(stderr, /^ +at /m);
  const logged = stdout.split('\n').filter((line) => line !== '');
  const troubles = logged.filter((line) => /"level":"(?:warn|error|fatal)"/.test(line));
  t.deepEqual(troubles, []);
}

/** Another process of this machine listens there. */
async function takePort(t: ExecutionContext): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return String((server.address() as AddressInfo).port);
}
