import test from 'ava';

import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* Commands about all executions of a tenant, against a real runtime. */

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
const CHARGING = {
  workflow_id: 'charging',
  nodes: {
    charge: { kind: 'python_fn', module: 'bank', function: 'charge', retry_policy: 'no_retry' },
  },
};

/** Runs commands as an operator of the tenant. */
async function connect(tenant: TestTenant) {
  const body = { name: 'commands', role: 'operator' };
  const { token } = expectStatus(await tenant.post<{ token: string }>('/tokens', body), 201);
  return (...args: readonly string[]) =>
    runSvc([...args, '--url', runtime.url, '--token', token], { cwd: folder.path });
}

test('approval list and decide: a preview, a decision of one execution, and of the rest', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const first = await tenant.run(SIGNING);
  const second = await tenant.run(SIGNING);
  for (const id of [first, second]) await tenant.until(id, 'paused');
  const open = await svc('approval', 'list');
  t.true(open.stdout.includes(first) && open.stdout.includes('Sign it?'), open.stdout);

  t.regex(open.stdout, /DEADLINE +OTHERWISE +TOOL.*\n.* - +fail +- +Sign it\?/);
  const changed = await svc('approval', 'approve', first, '--shown-hash', 'f'.repeat(64));
  t.is(changed.code, 1);
  t.regex(changed.stderr, /no open approval shows what was decided on/);

  const preview = await svc('approval', 'decide', '--workflow', 'signing');
  t.regex(preview.stderr, /2 approvals would be decided: add --yes/);
  t.is((await tenant.read(first)).status, 'paused');
  const elsewhere = await svc('approval', 'approve', first, '--node', 'sing');
  t.is(elsewhere.code, 1);
  t.regex(elsewhere.stderr, /no open approval of exec_\w+ fits: choose one .*: sign$/m);
  const bare = first.replace('exec_', '');
  const ids = [bare, 'exec_typo'];
  const who = ['--comment', 'fine', '--user', 'ann'];
  const one = await svc('approval', 'decide', ...ids, ...who, '--yes');
  t.is(one.stdout, '1 approved, 0 refused\n');
  t.is(one.code, 1);
  t.regex(one.stderr, /^error: no approval is open in exec_typo: list those that are/);
  await tenant.until(first, 'completed');
  const unfit = await svc('approval', 'decide', second, '--node', 'sing');
  t.is(unfit.code, 1);
  t.regex(unfit.stderr, new RegExp(`^error: no open approval in ${second} fits --node: list`, 'm'));
  const rest = await svc('approval', 'decide', '--reject', '--yes', '--output', 'json');
  t.deepEqual(JSON.parse(rest.stdout), { done: 1, refused: [] });
  await tenant.until(second, 'failed');
  const decided = await svc('approval', 'list', '--status', 'decided');
  t.regex(decided.stdout, /approved +ann .* fine/);
});

test('queue, worker and failure list name items without a worker, workers, and causes', async (t) => {
  t.timeout(120_000);
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const id = await tenant.run(CHARGING);
  await tenant.untilEvent(id, 'NodeScheduled');
  const queues = await svc('queue', 'list');
  t.regex(queues.stdout, /python_tool .* bank\.charge +1 /);
  t.regex(queues.stderr, /no worker claims: bank\.charge/);

  await tenant.breakDown('charge', { error: 'card 4242 declined' });
  await tenant.until(id, 'failed');
  const workers = await svc('worker', 'list');
  t.regex(workers.stdout, /^worker-1 +tool /m);
  for (const within of ['10000', '0', '721', '31d', '90s', '1.5h', '']) {
    const refused = await svc('failure', 'list', `--within=${within}`);
    t.is(refused.code, 2, within);
    t.regex(refused.stderr, /Expected hours or days such as 12h or 7d, at most 30d/);
  }
  for (const within of ['1h', '30d', '720']) {
    t.true((await svc('failure', 'list', '--within', within)).stdout.includes(id), within);
  }
  const failures = await svc('failure', 'list', '--within', '1');
  t.regex(
    failures.stdout,
    /[0-9a-f]{16} +1 +dead letter +charging +charge +bank\.charge .* card … declined/,
  );
  t.true(failures.stdout.includes(id));
  const letters = await svc('failure', 'list', '-q', 'error ~ "card 4242" and workflow = charging');
  t.is(letters.stdout.match(/card … declined/g)?.length, 2);
  const first = await svc('failure', 'list', '--limit', '1', '--output', 'json');
  const { groups, next_cursor: cursor } = JSON.parse(first.stdout);
  t.is(groups.length, 1);
  const second = await svc('failure', 'list', '--limit', '1', '--cursor', cursor, '-o', 'json');
  t.like(JSON.parse(second.stdout), { next_cursor: null, is_exact: true });
  t.not(JSON.parse(second.stdout).groups[0].kind, groups[0].kind);
  const all = await svc('failure', 'list', '--all', '--output', 'json');
  t.is(JSON.parse(all.stdout).groups.length, 2);
  const ids = (await svc('failure', 'list', '-o', 'ids')).stdout.trim().split('\n');
  t.is(ids.length, 2);
  t.true(ids.includes(groups[0].id));
  const shown = await svc('failure', 'show', groups[0].id, '--within', '1h');
  t.regex(shown.stdout, /^FAILED +EXECUTION +WORK ITEM +ENDED +ERROR\n.*card 4242 declined/);
  t.true(shown.stdout.includes(id));
  t.is((await svc('failure', 'show', groups[0].id, '-o', 'ids')).stdout, `${id}\n`);
  const data = await svc('failure', 'show', groups[0].id, '--all', '-o', 'json');
  t.like(JSON.parse(data.stdout), { next_cursor: null, is_exact: true });
  t.like(JSON.parse(data.stdout).failures, [{ execution_id: id }]);
  const elsewhere = await svc('failure', 'show', groups[0].id, '--workflow', 'other');
  t.regex(elsewhere.stderr, /^no failures found\n$/);
  const wrong = await svc('failure', 'list', '-q', 'status = broken');
  t.regex(wrong.stderr, /q: no status is named broken \(at character 10\)/);
  const others = await svc('failure', 'list', '--workflow', 'other', '--output', 'json');
  t.like(JSON.parse(others.stdout), { groups: [], is_exact: true });
});

test('a fork at a node with an id of digits', async (t) => {
  const tenant = await runtime.newTenant();
  const svc = await connect(tenant);
  const nodes = { '7': { kind: 'pass' }, 'node:a': { kind: 'pass' } };
  const edges = [{ from: '7', to: 'node:a' }];
  const id = await tenant.run({ workflow_id: 'digits', start_node: '7', nodes, edges });
  await tenant.until(id, 'completed');
  const begins = async (at: string) => {
    const preview = await svc('execution', 'fork', id, '--at', at, '--dry-run');
    return /^begins at +(\S+)$/m.exec(preview.stdout)?.[1] ?? preview.stderr;
  };
  t.is(await begins('node:7'), '7');
  t.is(await begins('node:node:a'), 'node:a');
  t.regex(await begins('70'), /has events up to \d+, not 70/);
});
