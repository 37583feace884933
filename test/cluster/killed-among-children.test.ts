import { randomBytes } from 'node:crypto';
import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { makeTenant, type TestTenant } from '../support/tenant.ts';

/*
 * The runtime is killed (SIGKILL) repeatedly while a map runs a workflow for each item, and each of
 * these continues as another run. Nothing is lost, and nothing is done twice.
 */

const ITEMS = 120;
const CONCURRENCY = 15;
/** How many items have ended, as far as the parent knows, at each kill. */
const KILLS_AT = [5, 40, 80];

const CHILD = {
  workflow_id: 'child',
  start_node: 'count',
  nodes: { count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
  edges: [{ from: 'count', to: 'count', condition: 'state.n < state.goal' }],
  continue_as_new: { when: 'state.n == 2' },
};
const PARENT = {
  workflow_id: 'parent',
  nodes: {
    all: {
      kind: {
        type: 'map',
        items: 'state.goals',
        workflow_ref: 'child',
        max_concurrency: CONCURRENCY,
        output_mapping: '$output.n',
      },
      input_mapping: { n: 0, goal: 'input.item' },
      retry_policy: { max_attempts: 5, initial_delay: 0 },
      output_key: 'counted',
    },
  },
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a runtime that is killed among children loses none and repeats none`, async (t) => {
    t.timeout(240_000);
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const settings = {
      databaseUrl: database.url,
      port: await freePort(),
      apiKey: `key-${randomBytes(24).toString('base64url')}`,
      env: { SVC_SCHEDULER_LEASE_SECONDS: '2' },
    };
    let runtime: Runtime = await startRuntime(settings);
    t.teardown(() => runtime.end('SIGKILL'));
    const tenant = await makeTenant({
      request: (request) => runtime.request(request),
      tenantId: 'acme',
    });
    await tenant.register(CHILD);
    const goals = Array.from({ length: ITEMS }, (_, index) => 3 + (index % 4));
    const id = await tenant.start(await tenant.register(PARENT), { goals });
    const ended = async () =>
      (await tenant.story(id)).filter((line) => line.startsWith('ChildWorkflowCompleted')).length;
    for (const at of KILLS_AT) {
      await eventually(async () => {
        const count = await ended();
        if (count < at) throw new Error(`the parent has heard of ${count}`);
      });
      await runtime.end('SIGKILL');
      runtime = await startRuntime(settings);
    }
    const { state } = await tenant.until(id, 'completed');
    t.deepEqual(state['counted'], goals);
    const kinds = Object.groupBy(await tenant.story(id), (line) => line.split(' ')[0] ?? '');
    t.is(kinds['ChildWorkflowStarted']?.length, ITEMS);
    t.is(kinds['ChildWorkflowCompleted']?.length, ITEMS);
    t.is(kinds['ChildWorkflowFailed'], undefined);
    const runs = await runsOf(tenant, id);
    t.is(runs.length, 2 * ITEMS);
    t.true(runs.every(({ status }) => status === 'completed'));
  });
}

async function runsOf(tenant: TestTenant, id: string) {
  const path = `/executions?limit=500&parent_execution_id=${id}`;
  const { body } = await tenant.get<{ readonly executions: readonly { status: string }[] }>(path);
  return body.executions;
}
