import { readFileSync } from 'node:fs';
import test from 'ava';
import { cel, pythonTool, typeOnly, workflow } from 'svc-sdk/workflow';

import { order } from '../../../examples/typescript/order.ts';
import { inspectWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../src/shared/nodes/index.ts';

/* The builder produces the same definitions as the handwritten examples. */

const folder = new URL('../../../examples/workflows/', import.meta.url);
const map = workflow('example-map', { version: '1.0.0' })
  .step('double_all', (s) =>
    s.map({
      items: cel<readonly number[]>`state.numbers`,
      itemKey: 'number',
      step: ({ item, pass }) => pass({ output: cel<number>`${item} * 2` }),
      maxConcurrency: 10,
      onItemFailure: 'fail',
      outputKey: 'doubled',
    }),
  )
  .build();

const finalizer = workflow('example-finalizer', {
  description: 'Works on a file that is locked; the lock is released however the execution ends.',
  tools: { release_lock: pythonTool({ module: 'locks', function: 'release' }) },
  state: typeOnly<{ lock: string }>(),
})
  .step('work', ({ pythonFn }) => pythonFn({ module: 'files', function: 'convert' }))
  .finalizer('release', ({ state, execution, finalizer: call }) =>
    call('release_lock', {
      input: { lock: state.lock, outcome: cel`${execution.outcome}` },
      runOn: 'always',
      outputKey: 'released',
    }),
  )
  .build();

const policy = workflow('example-policy', {
  description: 'Completes with state.paid true when the rules hold, else with state.paid false.',
  policies: {
    spending: {
      rules: [
        {
          name: 'limit',
          condition: cel`state.amount <= 1000`,
          message: 'no more than 1000 at once',
        },
        { name: 'currency', condition: cel`state.currency in ["EUR", "USD"]` },
      ],
    },
  },
})
  .step('check', (s) =>
    s.policy({
      policyRef: 'spending',
      onViolation: { branch: { target: 'refuse' } },
      outputKey: 'checked',
    }),
  )
  .next('pay', ({ pass }) => pass({ output: { paid: true } }))
  .step('refuse', ({ pass }) => pass({ output: { paid: false } }))
  .start('check')
  .build();

const EXAMPLES = { order, map, finalizer, policy };

for (const [name, workflow] of Object.entries(EXAMPLES)) {
  test(`the builder makes examples/workflows/${name}.json, in the form that is stored`, (t) => {
    const written: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    const built = normalise(workflow.toIR());
    t.deepEqual(built.warnings, []);
    t.deepEqual(built.ir, normalise(written).ir);
  });
}

function normalise(ir: unknown) {
  const read = inspectWorkflow({ ir, kinds: builtInKinds });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read;
}
