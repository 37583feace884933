import test from 'ava';
import { defineFunction } from 'svc-sdk/worker';
import { cel, jsonSchema } from 'svc-sdk/workflow';

import { inspectWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import { workflowSchema } from '../../../src/shared/domain/workflow/schema/workflow-schema.ts';
import { builtInKinds, NODE_KINDS } from '../../../src/shared/nodes/index.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/* The workflow that a worker registers for a function. */

const audit = defineFunction('audit', () => ({}), {
  queue: 'slow',
  version: '2.0.0',
  timeoutSecs: 60,
  countSuspended: false,
  pinned: true,
  retryPolicy: 'no_retry',
  workflow: {
    name: 'Audit',
    description: 'Reads the books.',
    labels: { team: 'money' },
    executionLabels: { book: '$.book' },
    concurrency: { key: cel`input.book`, limit: 2 },
    timeouts: { workflowTimeout: '1d' },
    dataPolicy: { piiFields: ['iban'], action: 'hash' },
    policy: { blockedTools: ['x.*'] },
    tokenBudget: 1_000,
    costBudgetUsd: 3,
    onBudgetExceeded: 'pause',
    continueAsNew: { afterEvents: 500 },
    rate: { limit: 5, per: '1s' },
    debounce: { wait: '1s' },
    fairness: { key: cel`input.book`, weight: cel`input.pages` },
    startAfter: '1s',
    startDeadline: '1h',
    expose: { a2a: true },
  },
});

/** Members that are useless in a workflow of one function node. */
const LEFT_OUT = [
  'start_node',
  'state_schema',
  'edges',
  'retry_policies',
  'models',
  'prompts',
  'tools',
  'mcp_servers',
  'remote_agents',
  'policies',
];

test('the workflow of a function has every member that concerns it', (t) => {
  const ir = audit.toIR();
  // A batch can't stand beside a debounce.
  const gathering = defineFunction('gathering', () => ({}), {
    workflow: { batch: { max: 5, wait: '1s' } },
  });
  t.like(gathering.toIR(), { batch: { max: 5, wait: '1s' } });
  const { $defs } = workflowSchema(NODE_KINDS) as {
    readonly $defs: { readonly Workflow: { readonly properties: object } };
  };
  const known = Object.keys($defs.Workflow.properties);
  t.deepEqual([...Object.keys(ir), 'batch', ...LEFT_OUT].toSorted(), known.toSorted());
  const read = inspectWorkflow({ ir, kinds: builtInKinds });
  t.deepEqual(read.ok ? [] : read.problems, []);
  t.deepEqual(read.warnings, []);
});

test('the settings of a node are in its kind', (t) => {
  const { run } = audit.toIR().nodes;
  const settings = { queue: 'slow', pinned: true, count_suspended: false };
  t.deepEqual(run?.['kind'], { type: 'function', name: 'audit', ...settings });
});

test('a function without settings has none', (t) => {
  t.deepEqual(defineFunction('plain', () => ({})).toIR(), {
    workflow_id: 'plain',
    version: '1.0.0',
    nodes: { run: { kind: { type: 'function', name: 'plain' }, output_key: 'output' } },
  });
});

test('settings of nodes that the workflow does not have are refused by the compiler', (t) => {
  const settings = { state: jsonSchema<object>({ type: 'object' }) };
  // @ts-expect-error -- a function checks its input with its own schema
  t.is(defineFunction('typed', () => ({}), { workflow: settings }).name, 'typed');
});

const check = onBothStores();

check('a function that continues as new begins a new run by its rule', async (t, tenant, place) => {
  const count = defineFunction<{ count: number }, { count: number }>(
    'count',
    (ctx, input) =>
      input.count < 3 ? ctx.continueAsNew({ count: input.count + 1 }) : { count: input.count },
    { workflow: { continueAsNew: { when: cel`true` } } },
  );
  startWorker(t, { tenant, place, options: { functions: [count] } });
  let id = await startFunction(tenant, count, { count: 0 });
  let runs = 1;
  for (;;) {
    const { continued_as: next, state } = await tenant.until(id, 'completed');
    if (typeof next !== 'string') {
      t.deepEqual(state['output'], { count: 3 });
      break;
    }
    id = next;
    runs += 1;
  }
  t.true(runs > 1);
});
