import test from 'ava';
import { parseDatabaseUrl } from '../../../src/shared/config/database-url.ts';

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
  'postgres:///svc?host=/var/run/postgresql',
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
