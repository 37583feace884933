import test from 'ava';
import { locateDatabase, parseDatabaseUrl } from '../../../src/shared/config/database-url.ts';
import { findIdleParameters, splitHosts } from '../../../src/shared/config/postgres-hosts.ts';

const files: readonly (readonly [string, string])[] = [
  ['data.db', '/srv/app/data.db'],
  ['.svc/dev.db', '/srv/app/.svc/dev.db'],
  ['/var/lib/svc/data.db', '/var/lib/svc/data.db'],
  ['sqlite:data.db', '/srv/app/data.db'],
  ['sqlite:/var/data.db', '/var/data.db'],
  ['sqlite://data.db', '/srv/app/data.db'],
  ['sqlite:///var/data.db', '/var/data.db'],
  ['SQLite:../data.db', '/srv/data.db'],
];

for (const [text, path] of files) {
  test(`${text} is the SQLite file ${path}`, (t) => {
    t.deepEqual(parseDatabaseUrl(text, { cwd: '/srv/app' }), {
      ok: true,
      location: { dialect: 'sqlite', path },
    });
  });
}

for (const url of [
  'postgres://ann:secret@db.example.com:5432/svc?sslmode=require',
  'postgresql://db/svc',
  'postgres://ann:secret@db-1:5432,db-2,[::1]:5433/svc?target_session_attrs=read-write',
  'postgres:///svc?host=/var/run/postgresql',
  'postgres://ann@/svc?host=/var/run/postgresql',
  'postgres://ann:secret@%2Fvar%2Frun%2Fpostgresql/svc',
]) {
  test(`${url} is PostgreSQL`, (t) => {
    t.deepEqual(parseDatabaseUrl(url, { cwd: '/' }), {
      ok: true,
      location: { dialect: 'postgres', url },
    });
  });
}

const refused: readonly (readonly [string, RegExp])[] = [
  [':memory:', /in-memory database would lose every execution/],
  ['sqlite::memory:', /in-memory/],
  ['sqlite://:memory:', /in-memory/],
  ['mysql://ann:hunter2@db/svc', /the scheme mysql: is not supported/],
  ['file:data.db', /the scheme file:/],
  ['postgres:db', /the scheme postgres:/],
  ['postgres://ann:hunter2%@db:port/svc', /not a valid URL; .* percent-encoded/],
  ['postgres://ann:hunter2@db-1,db-2:port/svc', /not a valid URL/],
  ['postgres://ann:hunter2@db-1,,db-2/svc', /not a valid URL|a host between two commas is missing/],
  ['postgres://db/svc?target_session_attrs=standby', /must be one of primary, read-write, any/],
  ['postgres:///svc?host=db-1,db-2', /hosts go before the name of the database, as in postgres:/],
  ['', /no file is named/],
  ['sqlite:', /no file is named/],
  ['sqlite:data.db?mode=ro', /takes no parameters/],
  ['data/', /a folder is named/],
];

for (const [text, reason] of refused) {
  test(`refused: ${JSON.stringify(text)}`, (t) => {
    const parsed = parseDatabaseUrl(text, { cwd: '/' });
    if (parsed.ok) return t.fail('was accepted');
    t.regex(parsed.problem, reason);
    t.false(parsed.problem.includes('hunter2'));
    t.false(parsed.problem.includes('\n'));
  });
}

test('a URL with several hosts is one URL for each', (t) => {
  const { urls, target } = splitHosts(
    'postgres://ann:a%2Cb@db-1:1,db-2/svc?target_session_attrs=any',
  );
  t.deepEqual(urls, [
    'postgres://ann:a%2Cb@db-1:1/svc?target_session_attrs=any',
    'postgres://ann:a%2Cb@db-2/svc?target_session_attrs=any',
  ]);
  t.is(target, 'any');
  t.is(splitHosts('postgres://db/svc').target, 'primary');
});

test('a server is checked under each name of TLS, unless the URL asks for the rules of libpq', (t) => {
  for (const [given, taken] of [
    ['prefer', 'verify-full'],
    ['require', 'verify-full'],
    ['verify-ca', 'verify-full'],
    ['verify-full', 'verify-full'],
    ['no-verify', 'no-verify'],
    ['disable', 'disable'],
    ['require&uselibpqcompat=true', 'require&uselibpqcompat=true'],
  ]) {
    t.deepEqual(splitHosts(`postgres://one,two/svc?sslmode=${given}`).urls, [
      `postgres://one/svc?sslmode=${taken}`,
      `postgres://two/svc?sslmode=${taken}`,
    ]);
  }
});

test('parameters that svc makes no use of are found', (t) => {
  const taken = 'sslmode=require&sslrootcert=/ca.pem&target_session_attrs=any&options=-c%20a%3Db';
  t.deepEqual(findIdleParameters(`postgres://db/svc?${taken}&password=a%26keepalives%3D1`), []);
  t.deepEqual(
    findIdleParameters(`postgres://db/svc?connect_timeout=3&${taken}&channel_binding=require`),
    ['connect_timeout', 'channel_binding'],
  );
});

test('the host of a URL with a user may be left out, as for libpq', (t) => {
  const urlOf = (url: string) => splitHosts(url).urls;
  t.deepEqual(urlOf('postgres://ann:a@/svc?host=/run'), [
    'postgres://ann:a@localhost/svc?host=/run',
  ]);
  t.deepEqual(urlOf('postgresql://ann@'), ['postgresql://ann@localhost']);
  t.deepEqual(urlOf('postgres:///svc?host=/run'), ['postgres:///svc?host=/run']);
  t.deepEqual(urlOf('postgres://db/svc?application_name=a@/b'), [
    'postgres://db/svc?application_name=a@/b',
  ]);
});

test('the keys beside the URL belong to PostgreSQL', (t) => {
  const own = { url: 'postgres://db/svc', directUrl: 'postgres://direct/svc', passwordFile: 'pw' };
  const keys = { ...own, readUrl: null, readLagSecondsMax: 5 };
  const located = { dialect: 'postgres', ...own, passwordFile: '/srv/pw' };
  t.deepEqual(locateDatabase(keys, { cwd: '/srv' }), { ok: true, location: located });
  for (const [directUrl, problem] of [
    ['direct.db', 'not a postgres:// URL'],
    ['postgres://one,,two/svc', 'a host between two commas is missing'],
    ['postgres://db/svc?host=one,two', 'several hosts go before the name of the database, as in'],
  ] as const) {
    const refused = locateDatabase({ ...keys, directUrl }, { cwd: '/srv' });
    t.true(!refused.ok && refused.problem.startsWith(`database.direct_url: ${problem}`));
  }
  t.deepEqual(locateDatabase({ ...keys, url: 'data.db' }, { cwd: '/srv' }), {
    ok: true,
    location: { dialect: 'sqlite', path: '/srv/data.db' },
  });
  const readUrl = 'postgres://replica/svc';
  t.deepEqual(locateDatabase({ ...keys, readUrl }, { cwd: '/srv' }), {
    ok: true,
    location: { ...located, readUrl, readLagMsMax: 5_000 },
  });
});

test('a replica is one server of a PostgreSQL database', (t) => {
  const keys = { directUrl: null, passwordFile: null, readLagSecondsMax: 5 };
  for (const [url, readUrl, problem] of [
    [
      'data.db',
      'postgres://replica/svc',
      'an SQLite file has no replica; unset it, or set database.url to a postgres:// URL',
    ],
    ['postgres://db/svc', 'replica.db', 'not a postgres:// URL'],
    ['postgres://db/svc', 'postgres://one,two/svc', 'it leads to one replica, so name one host'],
    [
      'postgres://db/svc',
      'postgres://replica/svc?target_session_attrs=primary',
      'target_session_attrs must be one of any, standby, prefer-standby, read-only: it leads to a replica',
    ],
  ] as const) {
    t.deepEqual(locateDatabase({ ...keys, url, readUrl }, { cwd: '/srv' }), {
      ok: false,
      problem: `database.read_url: ${problem}`,
    });
  }
});
