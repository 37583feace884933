import test from 'ava';
import { parse } from 'yaml';

import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* Formats of results, ids from stdin, and the nouns of a tenant, against a real runtime. */

const folder = createFolder();
let database: TestDatabase;
let runtime: Runtime;

test.before('start', async (t) => {
  t.timeout(180_000);
  database = await createTestDatabase('sqlite');
  runtime = await startRuntime({ databaseUrl: database.url });
});
test.after.always('stop', async () => {
  await runtime.end('SIGTERM');
  await database.drop();
  await folder.remove();
});

const SIGNING = {
  workflow_id: 'signing',
  nodes: { sign: { kind: { type: 'human_approval', description: 'Sign it?' } } },
};

/** Runs commands as an operator of the tenant. */
async function connect(tenant: TestTenant) {
  const body = { name: 'commands', role: 'operator' };
  const { token } = expectStatus(await tenant.post<{ token: string }>('/tokens', body), 201);
  return (args: readonly string[], input = '') =>
    runSvc([...args, '--url', runtime.url, '--token', token], { cwd: folder.path, input });
}

test.serial('a list as yaml, wide and ids has the rows of its JSON', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const ids = [await tenant.run(SIGNING), await tenant.run(SIGNING)].toReversed();
  for (const id of ids) await tenant.until(id, 'paused');
  const list = (...args: string[]) => svc(['execution', 'list', ...args]);

  const [json, yaml] = [await list('--json'), await list('-o', 'yaml')];
  t.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
  t.deepEqual((await list('-o', 'ids')).stdout.trim().split('\n'), ids);
  const wide = await list('-o', 'wide');
  t.regex(wide.stdout, /^EXECUTION ID .* WORKFLOW VERSION /);
  t.true(ids.every((id) => wide.stdout.includes(id)));

  const first = await list('-o', 'ids', '--limit', '1');
  t.is(first.stdout, `${ids[0]}\n`);
  const cursor = /more results: add --all, or --cursor (\S+)/.exec(first.stderr)?.[1] ?? '';
  const second = await list('-o', 'ids', '--limit', '1', '--cursor', cursor);
  t.deepEqual([second.stdout, second.stderr], [`${ids[1]}\n`, '']);
  const one = await svc(['execution', 'show', ids[0] ?? '', '-o', 'ids']);
  t.is(one.stdout, `${ids[0]}\n`);
});

test.serial('a list as ids has each id once: a workflow has a row for each version', async (t) => {
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  for (const version of ['1.0.0', '2.0.0']) {
    expectStatus(await tenant.post('/workflows', { ir: { ...SIGNING, version } }), 201);
  }
  const listed = await svc(['workflow', 'list', '-o', 'json']);
  const { workflows } = JSON.parse(listed.stdout) as { workflows: readonly unknown[] };
  t.is(workflows.length, 2);
  t.is((await svc(['workflow', 'list', '-o', 'ids'])).stdout, 'signing\n');
});

test.serial(
  'cancel and retry take ids from stdin; one that is refused does not stop the others',
  async (t) => {
    t.timeout(120_000);
    const tenant = await runtime.newTenant();
    const svc = await connect(tenant);
    const [one, two] = [await tenant.run(SIGNING), await tenant.run(SIGNING)];
    for (const id of [one, two]) await tenant.until(id, 'paused');
    const cancelled = await svc(['execution', 'cancel', '-'], `${one}\nexec_typo\n\n${two}\n`);
    t.is(cancelled.code, 1);
    t.is(cancelled.stdout, `${one} is cancelled\n${two} is cancelled\n`);
    t.regex(cancelled.stderr, /exec_typo: not found.*\nerror: 1 of 3 were refused/);

    const retried = await svc(['execution', 'retry', '-', '-o', 'ids'], `${one}\n${two}\n`);
    t.is(retried.code, 0, retried.stderr);
    t.is(retried.stdout.trim().split('\n').length, 2);
    t.regex((await svc(['execution', 'pause', '-'])).stderr, /stdin named no ids/);
  },
);

test.serial('approval show, approve and reject decide one execution', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const [one, two] = [await tenant.run(SIGNING), await tenant.run(SIGNING)];
  for (const id of [one, two]) await tenant.until(id, 'paused');
  const shown = (await svc(['approval', 'show', one])).stdout;
  t.regex(shown, /description +Sign it\?/);
  t.regex(shown, /otherwise +fail/);
  t.is((await svc(['approval', 'approve', one, '--comment', 'fine'])).stdout, 'approved sign\n');
  await tenant.until(one, 'completed');
  t.is((await svc(['approval', 'reject', '-'], `${two}\n`)).stdout, 'rejected sign\n');
  await tenant.until(two, 'failed');
  const again = await svc(['approval', 'approve', one]);
  t.is(again.code, 1);
  t.regex(again.stderr, /no approval is open: see why it waits with: /);
});

test.serial('artifact put, show and get keep the bytes', async (t) => {
  t.timeout(120_000);
  const svc = await connect(await runtime.newTenant());
  const put = await svc(['artifact', 'put', '-', '--type', 'text/plain'], 'Grüße');
  t.regex(put.stdout, /^sha256:[0-9a-f]{64}\n$/, put.stderr);
  const hash = put.stdout.trim();
  t.is((await svc(['artifact', 'get', hash])).stdout, 'Grüße');
  const shown = await svc(['artifact', 'show', hash, '-o', 'json']);
  t.like(JSON.parse(shown.stdout), { hash, size: 7 });
  t.is((await svc(['artifact', 'get', hash, '--file', 'a.txt'])).code, 0);
  const again = await svc(['artifact', 'get', hash, '--file', 'a.txt']);
  t.is(again.code, 2);
  t.regex(again.stderr, /"a\.txt" exists: name a new file/);
  t.is((await svc(['artifact', 'get', `sha256:${'0'.repeat(64)}`])).code, 4);
});

test.serial('agent register, list, show and activate', async (t) => {
  t.timeout(120_000);
  const svc = await connect(await runtime.newTenant());
  const card = JSON.stringify({ name: 'Translator', uri: 'http://127.0.0.1:9/' });
  const registered = await svc(['agent', 'register', '-'], card);
  t.is(registered.code, 0, registered.stderr);
  const id = registered.stdout.trim();
  t.is((await svc(['agent', 'list', '-o', 'ids'])).stdout, `${id}\n`);
  t.regex((await svc(['agent', 'show', id])).stdout, /name +Translator/);
  t.is((await svc(['agent', 'activate', id])).stdout, `${id} is active\n`);
  t.is((await svc(['agent', 'deactivate', id])).stdout, `${id} is deactivated\n`);
  t.is((await svc(['agent', 'show', 'nobody'])).code, 4);
});

test.serial('open prints the page of what exists', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const id = await tenant.run(SIGNING);
  t.is((await svc(['open', id])).stdout, `${runtime.url}/console/executions/${id}\n`);
  t.is((await svc(['open', 'signing'])).stdout, `${runtime.url}/console/workflows/signing\n`);
  t.is((await svc(['open'])).stdout, `${runtime.url}/console/\n`);
  t.is((await svc(['open', 'sinning'])).code, 4);
});

test.serial('--all goes through every page, as one JSON document', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  await tenant.run(SIGNING);
  const lines = '{"input":{}}\n'.repeat(501);
  t.is((await svc(['execution', 'start-many', '-', '--workflow', 'signing'], lines)).code, 0);
  const all = await svc(['execution', 'list', '--all', '-o', 'json']);
  const { executions, next_cursor: cursor } = JSON.parse(all.stdout);
  t.is(executions.length, 502);
  t.is(cursor, null);
  const ids = await svc(['execution', 'list', '--all', '-o', 'ids']);
  t.is(new Set(ids.stdout.trim().split('\n')).size, 502);
  t.is(ids.stderr, '');
  t.is(
    (await svc(['execution', 'list', '--limit', '501', '-o', 'ids'])).stdout.match(/\n/g)?.length,
    501,
  );
});
