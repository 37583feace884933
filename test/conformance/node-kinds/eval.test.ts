import { readFileSync } from 'node:fs';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { masked } from '../../support/told.ts';

/* The kind that evaluates outputs, over HTTP; engine tests cover it with models. */

const check = onBothStores();
const load = (file: string) =>
  JSON.parse(
    readFileSync(new URL(`../../../examples/${file}`, import.meta.url), 'utf8'),
  ) as JsonObject;

check('eval: the example goes back until it is long enough', async (t, svc) => {
  const id = await svc.run(load('workflows/eval.json'));
  const { state } = await svc.until(id, 'completed');
  t.like(state, { text: 'word word word ', published: true });
  t.like((state as { verdict: object }).verdict, { passed: true, score: 1 });
  const round = (visit: string) =>
    ['draft', 'check'].flatMap((node) => [
      `NodeScheduled ${node}${visit}`,
      `NodeCompleted ${node}${visit}`,
    ]);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...round(''),
    ...round('#1'),
    ...round('#2'),
    'NodeScheduled publish',
    'NodeCompleted publish',
    'WorkflowCompleted',
  ]);
});

const gate = (onFail: string | JsonObject) => ({
  start_node: 'make',
  nodes: {
    make: { kind: { type: 'python_fn', module: 'm', function: 'f' } },
    check: {
      kind: {
        type: 'eval',
        scorers: [{ type: 'assertion', name: 'large', checks: ['output.n > 5', 'has(output.n)'] }],
        on_fail: onFail,
        max_retries: 1,
      },
      output_key: 'verdict',
    },
    next: {},
    mend: {},
  },
  edges: [
    { from: 'make', to: 'check' },
    { from: 'check', to: 'next' },
    { from: 'check', to: 'mend', on: 'failure' },
  ],
});

for (const [onFail, node] of [
  ['warn', 'next'],
  ['fail', 'mend'],
  [{ branch: { target: 'mend' } }, 'mend'],
] as const) {
  check(`eval: on_fail ${JSON.stringify(onFail)} leads to ${node}`, async (t, svc) => {
    const id = await svc.run(gate(onFail));
    await svc.work('make', { n: 1 });
    await svc.until(id, 'completed');
    const story = await svc.story(id);
    t.true(story.includes(`NodeCompleted ${node}`));
    t.true(story.includes(`NodeSkipped ${node === 'next' ? 'mend' : 'next'}`));
    t.is(story.includes('NodeFailed check'), onFail === 'fail');
    return masked(await svc.events(id));
  });
}

check('eval: retry gives the work out again, and fails in the end', async (t, svc) => {
  const ir = gate('retry');
  const { edges, ...rest } = ir;
  const id = await svc.run({ ...rest, edges: edges.slice(0, 2) });
  await svc.work('make', { n: 1 });
  await svc.work('make', { n: 2 });
  const { error } = await svc.until(id, 'failed');
  t.is(
    error,
    'node check failed: the evaluation was not passed after 1 retries: ' +
      'large 0.5, below 1 (1 of 2 checks failed: expression `output.n > 5`)',
  );
  return masked(await svc.events(id));
});

check('eval: an output that passes continues, and its other branch is skipped', async (t, svc) => {
  const { edges, ...rest } = gate({ branch: { target: 'mend' } });
  const id = await svc.run({ ...rest, edges: edges.slice(0, 2) });
  await svc.work('make', { n: 6 });
  const { state } = await svc.until(id, 'completed');
  t.like((state as { verdict: object }).verdict, { passed: true, score: 1 });
  t.deepEqual((await svc.story(id)).slice(-4), [
    'NodeScheduled next',
    'NodeCompleted next',
    'NodeSkipped mend',
    'WorkflowCompleted',
  ]);
});

check('400: an eval that cannot judge is refused where it is wrong', async (t, svc) => {
  const reply = await svc.post('/workflows', {
    ir: {
      workflow_id: 'w',
      start_node: 'check',
      nodes: {
        check: {
          kind: { type: 'eval', scorers: [{ type: 'latency', max_ms: 5 }], on_fail: 'retry' },
        },
      },
    },
  });
  t.is(reply.status, 400);
  t.regex(reply.body.error, /\/nodes\/check\/kind\/on_fail/);
});
