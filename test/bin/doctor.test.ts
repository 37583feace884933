import { existsSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { createTestDatabase, type Dialect } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';
import { changeTable } from '../support/stores.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());
const cwd = folder.path;

interface Examined {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly verdict: string }[];
  readonly stuck_executions: readonly object[];
  readonly stuck_executions_total: number;
}

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: an installation where nothing runs fails by its processes`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const env = { SVC_DATABASE_URL: database.url };
    const { code, stdout, stderr } = await runSvc(['doctor', '-o', 'json'], { cwd, env });
    t.is(code, 1);
    t.regex(stderr, /^database: .*\nerror: \d failed: .*processes/);
    const { ok, checks, ...rest } = JSON.parse(stdout) as Examined;
    t.false(ok);
    t.deepEqual(rest, { stuck_executions: [], stuck_executions_total: 0 });
    const verdicts = new Map(checks.map(({ name, verdict }) => [name, verdict]));
    t.is(verdicts.get('database'), 'ok');
    t.is(verdicts.get('migrations'), 'ok');
    t.is(verdicts.get('processes'), 'fail');

    const table = await runSvc(['doctor'], { cwd, env });
    t.regex(table.stdout, /^fail +processes +none; no scheduler$/m);
    t.regex(table.stdout, /^processes +start a process with the scheduler role/m);
  });

  test(`${dialect}: a schema that does not fit is reported, and as much else as possible`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    await changeTable(database.url)(
      `insert into schema_migrations (number, title, checksum) values (999, 'later', '')`,
    );
    const env = { SVC_DATABASE_URL: database.url };
    const { code, stdout } = await runSvc(['doctor'], { cwd, env });
    t.is(code, 1);
    t.regex(stdout, /^fail +migrations +the schema does not fit this program$/m);
    t.regex(stdout, /^ok +database /m);
    t.regex(stdout, /^skipped +queues /m);
  });
}

test('a database that does not answer is reported, and nothing else is known', async (t) => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
  const { code, stdout } = await runSvc(['doctor', '--database-url', url, '-o', 'json'], { cwd });
  t.is(code, 1);
  const { checks } = JSON.parse(stdout) as Examined;
  t.deepEqual(
    checks.filter(({ verdict }) => verdict !== 'skipped').map(({ name }) => name),
    ['database'],
  );
});

test('a missing file is not created', async (t) => {
  const path = join(cwd, 'missing', 'runtime.db');
  const { code, stdout } = await runSvc(['doctor', '--database-url', path], { cwd });
  t.is(code, 1);
  t.regex(stdout, /^fail +database +.*does not exist$/m);
  t.false(existsSync(path));
});
