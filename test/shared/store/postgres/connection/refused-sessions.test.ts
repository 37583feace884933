import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { explainDatabaseError } from '../../../../../src/runtime/database/explain-database-error.ts';
import { migrationStatus } from '../../../../../src/shared/store/opening/migrate.ts';
import { translateUnopened } from '../../../../../src/shared/store/postgres/connection/errors.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

/** As the server logs it on a full disk. */
const REFUSAL = 'could not write init file';
const INTERNAL_ERROR = 'XX000';
const MISSING = Object.assign(new Error('ENOENT: no such file'), {
  code: 'ENOENT',
  syscall: 'open',
});

test('a server that ends each new session with an internal error is unavailable', async (t) => {
  const url = await startRefusingServer(t);
  const store = await openPostgresStore({ url });
  t.teardown(() => store.close());
  const calls = {
    'the pool': () => store.executions.find('exec_none' as never, 'default' as never),
    'the management': () => store.tenants.list({ limit: 1, offset: 0 }),
    'a probe': () => store.ping({ timeoutMs: 1_000 }),
    'the check of the schema': () => migrationStatus({ url }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await t.throwsAsync(call, { instanceOf: StoreUnavailableError }, name);
    t.like(error, { ambiguous: false }, name);
    t.regex(error.message, new RegExp(REFUSAL), name);
  }
});

test('a start waits for such a server and for a silent one, and says what to do', (t) => {
  const refused = Object.assign(new Error(REFUSAL), { code: INTERNAL_ERROR });
  for (const [cause, mayPass, advice] of [
    [refused, true, 'failed with an error of its own: see its log'],
    [new Error('timeout expired'), true, 'broke the connection off: see its own log'],
    [MISSING, true, 'needs a file that is missing: create it, or correct SVC_DATABASE_URL'],
    [new Error('self-signed certificate'), false, 'gave no connection: correct SVC_DATABASE_URL'],
  ] as const) {
    const thrown = translateUnopened(cause);
    const location = { dialect: 'postgres', url: 'postgres://h/d' } as const;
    const explained = explainDatabaseError(thrown, location);
    t.is(explained.mayPass, mayPass, cause.message);
    t.true(explained.error.message.includes(` ${advice} (`), explained.error.message);
  }
});

test('an error of opening names each setting that may be wrong', (t) => {
  const url = 'postgres://svc:hunter2@pooler/svc';
  const directUrl = 'postgres://svc:hunter2@db/svc';
  const passwordFile = '/run/secrets/password';
  const codes = ['28P01', 'ECONNREFUSED', 'SELF_SIGNED_CERT_IN_CHAIN', 'EPIPE'];
  const [refused, gone, unknown, broken] = codes.map((code) =>
    translateUnopened(Object.assign(new Error('why'), { code })),
  );
  for (const [thrown, more, advice] of [
    [refused, {}, 'refuses this user: correct SVC_DATABASE_URL'],
    [
      refused,
      { passwordFile },
      'refuses this user: correct SVC_DATABASE_URL or the password in /run/secrets/password',
    ],
    [
      gone,
      { directUrl, passwordFile },
      'cannot be reached: start it, or correct SVC_DATABASE_URL or SVC_DATABASE_DIRECT_URL',
    ],
    [
      unknown,
      {},
      'shows a certificate that svc does not accept: renew it, or correct the host or sslrootcert ' +
        'in SVC_DATABASE_URL',
    ],
    // A pooler in the mode "statement" ends connections so.
    [broken, {}, 'broke the connection off: see its own log'],
  ] as const) {
    const { error } = explainDatabaseError(thrown, { dialect: 'postgres', url, ...more });
    const where = 'directUrl' in more ? ' or postgres://svc:***@db/svc' : '';
    t.is(
      error.message,
      `PostgreSQL at postgres://svc:***@pooler/svc${where} ${advice} (database unavailable: why)`,
    );
  }
});

async function startRefusingServer(t: ExecutionContext): Promise<string> {
  const fields = { S: 'FATAL', V: 'FATAL', C: INTERNAL_ERROR, M: REFUSAL };
  const told = Object.entries(fields).map(([field, value]) => `${field}${value}\0`);
  const body = Buffer.from(`${told.join('')}\0`);
  const header = Buffer.alloc(5);
  header.write('E');
  header.writeInt32BE(body.length + 4, 1);
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', () => client.end(Buffer.concat([header, body])));
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  return `postgres://svc@127.0.0.1:${(server.address() as AddressInfo).port}/svc`;
}
