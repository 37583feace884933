import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

import { tellDatabase } from '../../bin/boot/take-database.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

let folders = 0;
function ownFolder(): string {
  const path = join(folder.path, String(folders++));
  mkdirSync(path);
  return path;
}

const CREATE = ['token', 'create', '--role', 'operator', '--name', 'me'];
const [DEV, SERVE] = ['.svc/dev.db', '.svc/runtime.db'];

test.serial('a command beside svc dev says that dev works on another file', async (t) => {
  const cwd = ownFolder();
  const dev = startSvc(['dev', '--port', String(await freePort())], { cwd });
  await dev.waitFor(/is running at/);
  t.regex(dev.output(), /^database: \.svc\/dev\.db \(default\)$/m);
  const made = await runSvc(CREATE, { cwd });
  t.is(made.code, 0);
  t.regex(made.stdout, /^svc_\S+\n$/);
  t.true(
    made.stderr.startsWith(
      `database: ${SERVE} (default)\n${DEV} was used more recently, by "node `,
    ),
    made.stderr,
  );
  t.regex(made.stderr, /svc\.js dev": to use it, add --database-url \.svc\/dev\.db$/m);
  const named = await runSvc([...CREATE, '--database-url', DEV], { cwd });
  t.regex(named.stderr, /^database: \.svc\/dev\.db \(flag --database-url\)\ntoken /);
  await dev.stop();
});

for (const [from, env, file, args, told] of [
  [
    'a flag',
    { SVC_DATABASE_URL: 'a.db' },
    '',
    ['--database-url', 'b.db'],
    'b.db (flag --database-url)',
  ],
  ['SVC_DATABASE_URL', { SVC_DATABASE_URL: 'a.db' }, '', [], 'a.db (env SVC_DATABASE_URL)'],
  ['DATABASE_URL', { DATABASE_URL: 'c.db' }, '', [], 'c.db (env DATABASE_URL)'],
  ['the file', {}, '[database]\nurl = "d.db"\n', [], 'd.db (svc.toml)'],
  ['the default', {}, '', [], '.svc/runtime.db (default)'],
] as const) {
  test.serial(`each command names the database that ${from} gives`, async (t) => {
    const cwd = ownFolder();
    if (file !== '') writeFileSync(join(cwd, 'svc.toml'), file);
    const run = (command: string) => runSvc([...command.split(' '), ...args], { cwd, env });
    const first = `database: ${told}\n`;
    for (const command of ['db migrate', 'token list']) {
      const { stderr } = await run(command);
      t.true(stderr.startsWith(first), `${command}: ${stderr}`);
    }
    const serve = startSvc(['serve', '--port', String(await freePort()), ...args], {
      cwd,
      env: { ...env, SVC_TELEMETRY_METRICS_PORT: 'off' },
    });
    await serve.waitFor(/listening on/);
    t.true(serve.output().includes(first), serve.output());
    await serve.stop();
  });
}

test('the other default is mentioned only where it was used later', (t) => {
  const cwd = ownFolder();
  mkdirSync(join(cwd, '.svc'));
  const tell = (mode: 'dev' | 'serve', origin = 'default') => {
    const path = join(cwd, mode === 'dev' ? DEV : SERVE);
    return tellDatabase({ database: { dialect: 'sqlite', path }, origin, mode, cwd });
  };
  const touch = (file: string, seconds: number) => {
    writeFileSync(join(cwd, file), '');
    utimesSync(join(cwd, file), seconds, seconds);
  };
  t.is(tell('serve'), `database: ${SERVE} (default)`);
  touch(DEV, 1_000);
  t.regex(tell('serve'), /\n\.svc\/dev\.db was used more recently, by "svc dev": /);
  t.is(tell('serve', 'env DATABASE_URL'), `database: ${SERVE} (env DATABASE_URL)`);
  touch(SERVE, 2_000);
  t.is(tell('serve'), `database: ${SERVE} (default)`);
  t.regex(tell('dev'), /\n\.svc\/runtime\.db was used more recently, by "svc serve" /);
  touch(`${DEV}-wal`, 3_000);
  t.is(tell('dev'), `database: ${DEV} (default)`);
});

test('a password is not shown', (t) => {
  const database = { dialect: 'postgres', url: 'postgres://me:secret@db/svc' } as const;
  const told = tellDatabase({ database, origin: 'env DATABASE_URL', mode: 'serve', cwd: '/' });
  t.is(told, 'database: postgres://me:***@db/svc (env DATABASE_URL)');
});

test('parameters of a URL that change nothing are named, and no password', async (t) => {
  const env = {
    SVC_DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/svc?connect_timeout=3&sslmode=require',
    SVC_DATABASE_DIRECT_URL: 'postgres://127.0.0.1:1/svc?keepalives=1&passfile=file',
  };
  const { code, stderr } = await runSvc(['db', 'status'], { cwd: ownFolder(), env });
  t.is(code, 1);
  const [named, ...warnings] = stderr.split('\n').filter((line) => !/ECONNREFUSED/.test(line));
  t.regex(named ?? '', /^database: /);
  t.deepEqual(
    warnings.map((line) => line.replace(/: remove .*/, '')),
    [
      'warning: database.url: svc makes no use of connect_timeout',
      'warning: database.direct_url: svc makes no use of keepalives, passfile',
      '',
    ],
  );
  t.false(stderr.includes('secret'), stderr);
});

test('settings of PostgreSQL beside an SQLite file are named', async (t) => {
  const env = {
    SVC_DATABASE_DIRECT_URL: 'postgres://me:secret@db/svc',
    SVC_DATABASE_PASSWORD_FILE: '/run/password',
  };
  const { code, stderr } = await runSvc(['db', 'migrate'], { cwd: ownFolder(), env });
  t.is(code, 0);
  t.deepEqual(
    stderr.split('\n').filter((line) => line.startsWith('warning: ')),
    ['direct_url', 'password_file'].map(
      (key) =>
        `warning: database.${key} is for PostgreSQL, and database.url names an SQLite file: unset one of them`,
    ),
  );
  t.false(stderr.includes('secret'), stderr);
});
