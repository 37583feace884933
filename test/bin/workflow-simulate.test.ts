import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import test from 'ava';

import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { expectStatus } from '../support/tenant.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
let database: TestDatabase;
let runtime: Runtime;
let svc: (...args: readonly string[]) => ReturnType<typeof runSvc>;

const ORDER = `
workflow_id: order
nodes:
  charge:
    kind: { type: python_fn, module: bank, function: charge }
    output_key: charged
  review:
    kind: { type: human_approval, description: Ship it? }
edges:
  - { from: charge, to: review, condition: state.amount > 100 }
`;

test.before('start', async (t) => {
  t.timeout(180_000);
  database = await createTestDatabase('sqlite');
  runtime = await startRuntime({ databaseUrl: database.url });
  const tenant = await runtime.newTenant();
  const reply = await tenant.post<{ token: string }>('/tokens', { name: 'c', role: 'developer' });
  const { token } = expectStatus(reply, 201);
  svc = (...args) =>
    runSvc(['workflow', 'simulate', ...args, '--url', runtime.url, '--token', token], {
      cwd: folder.path,
    });
  await writeFile(join(folder.path, 'order.yaml'), ORDER);
  await writeFile(join(folder.path, 'samples.json'), '{"charge": {"output": {"paid": true}}}');
  await writeFile(join(folder.path, 'failing.json'), '{"charge": {"error": "card declined"}}');
});
test.after.always('stop', async () => {
  await runtime.end('SIGTERM');
  await database.drop();
  await folder.remove();
});

test('the path that an input takes is printed with the end and the state', async (t) => {
  t.timeout(120_000);
  const large = await svc('order.yaml', '--input', '{"amount": 200}', '--samples', '@samples.json');
  t.is(large.code, 0, large.stderr);
  t.regex(large.stdout, /^1 +WorkflowStarted/m);
  t.regex(large.stdout, /ApprovalReceived +review/);
  t.regex(large.stdout, /^completed: .*"charged":\{"paid":true\}/m);
  t.regex(large.stderr, /no sample, so the output is null: review;/);
  const small = await svc('order.yaml', '--input', '{"amount": 1}', '-o', 'json');
  const run = JSON.parse(small.stdout) as { readonly events: readonly { kind: string }[] };
  t.like(run, { status: 'completed', assumed: ['charge'], is_complete: true });
  t.false(run.events.some(({ kind }) => kind.startsWith('Approval')));
});

test('a run that fails is printed, and exits with code 8', async (t) => {
  t.timeout(120_000);
  const failed = await svc('order.yaml', '--input', '{"amount": 1}', '--samples', '@failing.json');
  t.is(failed.code, 8);
  t.regex(failed.stdout, /NodeFailed +charge .*card declined/);
  t.regex(failed.stderr, /the run failed: .*card declined/);
});

test('a definition that cannot run, and a file of several, are refused', async (t) => {
  t.timeout(120_000);
  await writeFile(
    join(folder.path, 'broken.json'),
    '{"workflow_id": "w", "nodes": {"a": {"kind": "nothing"}}}',
  );
  const broken = await svc('broken.json');
  t.is(broken.code, 1);
  t.regex(broken.stderr, /nothing/);
  await writeFile(
    join(folder.path, 'two.ts'),
    `export const one = { toIR: () => ({ workflow_id: 'one', nodes: { a: { kind: 'pass' } } }) };
     export const two = { toIR: () => ({ workflow_id: 'two', nodes: { a: { kind: 'pass' } } }) };`,
  );
  const two = await svc('two.ts');
  t.is(two.code, 2);
  t.regex(two.stderr, /has 2 workflows, and one is simulated/);
});
