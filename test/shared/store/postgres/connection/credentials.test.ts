import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import test, { type ExecutionContext } from 'ava';

import {
  connectPool,
  type PostgresPool,
  type Statement,
} from '../../../../../src/shared/store/postgres/connection/connect.ts';
import { createServerFinder } from '../../../../../src/shared/store/postgres/connection/server-finder.ts';
import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { runOnServer } from '../../../../support/database.ts';
import { eventually } from '../../../../support/eventually.ts';
import { createAuthority } from '../../../../support/servers/certificate-authority.ts';
import { SERVER_OWNER, startPostgresServer } from '../../../../support/servers/postgres-server.ts';

test('each new connection reads the password file', async (t) => {
  const { url, admin } = await startServer(t, { rule: 'host all svc 127.0.0.1/32 scram-sha-256' });
  const passwordFile = join(createFolder(t), 'password');
  writeFileSync(passwordFile, 'first: #1/%\n');
  await admin(`alter role svc password 'first: #1/%'`);
  const store = await openPostgresStore({ url, passwordFile, applicationName: 'svc-rotated' });
  t.teardown(() => store.close());
  await t.notThrowsAsync(store.ping({ timeoutMs: 5_000 }));
  await t.notThrowsAsync(store.tokens.findByHash('0'.repeat(64)).catch(pastTheDoor));
  await admin(`alter role svc password 'second'`);
  writeFileSync(passwordFile, 'second');
  await admin(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-rotated'`,
  );
  await eventually(() => store.ping({ timeoutMs: 5_000 }), { withinMs: 5_000 });
  rmSync(passwordFile);
  await admin(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-rotated'`,
  );
  await eventually(async () => {
    const error = await t.throwsAsync(store.ping({ timeoutMs: 5_000 }), {
      instanceOf: StoreUnavailableError,
    });
    if (!/cannot read database\.password_file/.test(error.message)) throw error;
  });
});

test('a file that is missing for a moment fails those who wait for a connection, and nothing else', async (t) => {
  const { url, admin } = await startServer(t, { rule: 'host all svc 127.0.0.1/32 trust' });
  const folder = createFolder(t);
  const passwordFile = join(folder, 'password');
  const authorityFile = join(folder, 'ca.pem');
  const place = (): void => {
    writeFileSync(passwordFile, 'any');
    writeFileSync(authorityFile, createAuthority('svc test').certificate);
  };
  for (const [missing, address] of [
    [passwordFile, url],
    [authorityFile, `${url}?sslrootcert=${authorityFile}&sslmode=disable`],
  ] as const) {
    place();
    const pool = openPool({ url: address, passwordFile });
    t.teardown(() => pool.close());
    const held = t.throwsAsync(pool.run(SLEEP, []), { instanceOf: StoreUnavailableError });
    await eventually(async () => {
      const { rowCount } = await runOnServer(url, SLEEPING);
      if (rowCount === 0) throw new Error('nobody sleeps yet');
    });
    const waiting = t.throwsAsync(pool.run(PING, []), { instanceOf: StoreUnavailableError });
    rmSync(missing);
    await admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc'`);
    await held;
    // The driver's pool opens a connection for it as it takes the broken one away.
    t.regex((await waiting).message, new RegExp(missing));
    place();
    t.deepEqual(await eventually(() => pool.run(PING, [])), [{ answer: 1 }]);
  }
});

test('a file that is missing while a statement takes long has no effect on it', async (t) => {
  const { url } = await startServer(t, { rule: 'host all svc 127.0.0.1/32 trust' });
  const passwordFile = join(createFolder(t), 'password');
  writeFileSync(passwordFile, 'any');
  const pool = openPool({ url, passwordFile });
  t.teardown(() => pool.close());
  await pool.run(PING, []);
  rmSync(passwordFile);
  // Meanwhile, the process asks the server over a new connection whether it answers.
  t.is((await pool.run(LONG, [])).length, 1);
});

const LONG: Statement = { name: 'long', text: 'select pg_sleep(3)', writes: false };
const SLEEP: Statement = { name: 'sleep', text: 'select pg_sleep(60)', writes: false };
const PING: Statement = { name: 'ping', text: 'select 1 as answer', writes: false };
const SLEEPING = `select from pg_stat_activity where usename = 'svc' and wait_event = 'PgSleep'`;

function openPool(given: { readonly url: string; readonly passwordFile: string }): PostgresPool {
  const connectTimeoutMs = 5_000;
  return connectPool({
    servers: createServerFinder({ ...given, connectTimeoutMs }),
    applicationName: 'svc-test',
    connectTimeoutMs,
    statementTimeoutMs: 30_000,
    onBackgroundError: () => undefined,
    min: 0,
    max: 1,
  });
}

test('a client certificate is the login, and a renewed one needs no restart', async (t) => {
  const authority = createAuthority('svc test');
  const { url, admin } = await startServer(t, {
    rule: 'hostssl all svc 127.0.0.1/32 cert',
    tls: {
      authority: authority.certificate,
      ...authority.issue({ subject: [['CN', 'db']], addresses: [[127, 0, 0, 1]] }),
    },
  });
  const folder = createFolder(t);
  const place = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const own = authority.issue({ subject: [['CN', 'svc']] });
  const parameters = new URLSearchParams({
    sslmode: 'verify-full',
    sslrootcert: place('ca.pem', authority.certificate),
    sslcert: place('svc.pem', own.certificate),
    sslkey: place('svc.key', own.key),
  });
  const store = await openPostgresStore({
    url: `${url}?${parameters.toString()}`,
    applicationName: 'svc-tls',
  });
  t.teardown(() => store.close());
  await t.notThrowsAsync(store.ping({ timeoutMs: 5_000 }));
  const stranger = authority.issue({ subject: [['CN', 'stranger']] });
  place('svc.pem', stranger.certificate);
  place('svc.key', stranger.key);
  await admin(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-tls'`,
  );
  await eventually(async () => {
    const error = await t.throwsAsync(store.ping({ timeoutMs: 5_000 }), {
      instanceOf: StoreUnavailableError,
    });
    if (!/certificate authentication failed/.test(error.message)) throw error;
  });
  const renewed = authority.issue({ subject: [['CN', 'svc']] });
  place('svc.pem', renewed.certificate);
  place('svc.key', renewed.key);
  await eventually(() => store.ping({ timeoutMs: 5_000 }), { withinMs: 5_000 });
});

test('a server whose certificate nobody vouches for is refused', async (t) => {
  const authority = createAuthority('svc test');
  const { url } = await startServer(t, {
    rule: 'hostssl all svc 127.0.0.1/32 trust',
    tls: {
      authority: authority.certificate,
      ...authority.issue({ subject: [['CN', 'db']], addresses: [[127, 0, 0, 1]] }),
    },
  });
  for (const [mode, isIn] of [
    ['verify-full', false],
    ['no-verify', true],
  ] as const) {
    const store = await openPostgresStore({ url: `${url}?sslmode=${mode}` });
    t.teardown(() => store.close());
    const answer = await store.ping({ timeoutMs: 5_000 }).then(
      () => true,
      () => false,
    );
    t.is(answer, isIn, mode);
    if (isIn) continue;
    await t.throwsAsync(store.tokens.findByHash('0'.repeat(64)), {
      instanceOf: StoreUnavailableError,
      message: /certificate/,
    });
  }
});

/** The database has no tables: a statement that fails on that has passed the door. */
function pastTheDoor(error: unknown): void {
  if (error instanceof StoreUnavailableError) throw error;
}

async function startServer(
  t: ExecutionContext,
  given: {
    /** The first rule of `pg_hba.conf`. */
    readonly rule: string;
    readonly tls?: {
      readonly authority: string;
      readonly certificate: string;
      readonly key: string;
    };
  },
): Promise<{ readonly url: string; readonly admin: (sql: string) => Promise<unknown> }> {
  const server = await startPostgresServer();
  t.teardown(() => server.stop());
  const place = (name: string, text: string): void => {
    const file = join(server.dataFolder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (SERVER_OWNER.uid !== undefined) chownSync(file, SERVER_OWNER.uid, SERVER_OWNER.gid ?? 0);
  };
  const { tls } = given;
  if (tls !== undefined) {
    place('ca.pem', tls.authority);
    place('server.crt', tls.certificate);
    place('server.key', tls.key);
  }
  const rules = readFileSync(join(server.dataFolder, 'pg_hba.conf'), 'utf8');
  place('pg_hba.conf', `${given.rule}\n${rules}`);
  const admin = (sql: string): Promise<unknown> => runOnServer(server.url, sql);
  await admin('create role svc login');
  if (tls !== undefined) {
    await admin(`alter system set ssl_ca_file = 'ca.pem'`);
    await admin('alter system set ssl = on');
  }
  await admin('select pg_reload_conf()');
  const { host } = new URL(server.url);
  return { url: `postgres://svc@${host}/postgres`, admin };
}

function createFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-credentials-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
