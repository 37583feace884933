import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { readWorkflow } from '../../../../src/shared/domain/workflow/ir.ts';
import { evalKind } from '../../../../src/shared/nodes/eval/kind.ts';
import type { EvalSpec } from '../../../../src/shared/nodes/eval/spec.ts';
import { builtInKinds } from '../../../../src/shared/nodes/index.ts';
import { enter, nodeProblems, planOf, problemsOf } from '../enter.ts';

const BIG = { type: 'assertion', name: 'big', check: 'output.n > 5' };
const JUDGE = { type: 'llm_judge', rubric: 'Good?', model_ref: 'm' };

const evaluate = (fields: JsonObject) => ({ kind: { type: 'eval', scorers: [BIG], ...fields } });
const EDGES = [
  { from: 'c', to: 'a' },
  { from: 'a', to: 'n' },
];

const result = (passed: boolean) => ({
  passed,
  score: passed ? 1 : 0,
  scorers: [
    {
      name: 'big',
      type: 'assertion',
      score: passed ? 1 : 0,
      passed,
      reason: passed ? '1 check, all hold' : '1 of 1 check failed: expression `output.n > 5`',
    },
  ],
});

test('an output that passes completes it with the result, for any on_fail', (t) => {
  for (const onFail of [
    null,
    'fail',
    'warn',
    'retry',
    { retry: {} },
    { branch: { target: 'b' } },
  ]) {
    const entry = enter(evaluate({ on_fail: onFail }), { output: { n: 9 }, edges: EDGES });
    t.deepEqual(entry, { do: 'complete', output: result(true) });
  }
});

const FAILED = {
  do: 'fail',
  error:
    'the evaluation was not passed: big 0, below 1 (1 of 1 check failed: expression `output.n > 5`)',
  errorClass: 'eval_failed',
};

for (const [onFail, entry] of [
  [null, FAILED],
  ['fail', FAILED],
  [{ fail: {} }, FAILED],
  ['warn', { do: 'complete', output: result(false) }],
  [{ warn: null }, { do: 'complete', output: result(false) }],
  ['retry', { do: 'complete', output: result(false), targets: ['a'] }],
  [{ retry: null }, { do: 'complete', output: result(false), targets: ['a'] }],
  [{ retry: 'c' }, { do: 'complete', output: result(false), targets: ['c'] }],
  [{ retry: { target: 'c' } }, { do: 'complete', output: result(false), targets: ['c'] }],
  [{ branch: 'b' }, { do: 'complete', output: result(false), targets: ['b'] }],
  [{ branch: { target: 'b' } }, { do: 'complete', output: result(false), targets: ['b'] }],
  [{ branch: { target: 'end' } }, { do: 'complete', output: result(false), targets: [] }],
] as const) {
  test(`an output that does not pass, with on_fail ${JSON.stringify(onFail)}`, (t) => {
    const node = evaluate({ on_fail: onFail });
    t.deepEqual(enter(node, { output: { n: 1 }, edges: EDGES }), entry as typeof FAILED);
  });
}

test('retries are counted by the visits, and then the node fails', (t) => {
  const fields = { on_fail: 'retry', max_retries: 2 };
  const node = evaluate(fields);
  const at = (visit: number) => enter(node, { output: { n: 1 }, edges: EDGES, visit });
  t.like(at(1), { do: 'complete', targets: ['a'] });
  t.like(at(2), { do: 'fail', errorClass: 'eval_failed' });
  const none = enter(evaluate({ ...fields, max_retries: 0 }), { output: 0, edges: EDGES });
  t.is(none.do, 'fail');
  const usual = enter(evaluate({ on_fail: 'retry' }), { output: 0, edges: EDGES, visit: 2 });
  t.is(usual.do, 'complete');
});

test('input_expr says what is judged, and one that fails fails the node', (t) => {
  const fields = { input_expr: '{"n": state.m * 2}', on_fail: 'warn' };
  t.like(enter(evaluate(fields), { state: { m: 4 }, output: { n: 0 } }), {
    output: { passed: true },
  });
  const broken = enter(evaluate(fields), { state: { m: 'x' } });
  t.like(broken, { do: 'fail', errorClass: 'expression_error' });
});

test('checks see the state too', (t) => {
  const scorers = [{ type: 'assertion', check: 'output <= state.limit && input.strict' }];
  const entry = enter(evaluate({ scorers }), {
    state: { limit: 3 },
    input: { strict: true },
    output: 3,
  });
  t.like(entry, { do: 'complete', output: { passed: true } });
});

test('an evaluation that asks a model is work of the engine', (t) => {
  const scorers = [BIG, { type: 'latency', max_ms: 9 }];
  const entry = enter(evaluate({ scorers }), { output: { n: 9 }, edges: EDGES });
  t.deepEqual(entry, {
    do: 'work',
    queue: 'engine',
    input: { n: 9 },
    payload: { workflow_id: 'w', workflow_version: '1.0.0', node_id: 'n' },
  });
});

test('where it leads when it does not pass is a control edge that only it takes', (t) => {
  const plan = planOf({
    start_node: 'a',
    nodes: { a: {}, n: evaluate({ on_fail: 'retry' }), b: {}, c: {} },
    edges: [...EDGES, { from: 'n', to: 'b' }],
  });
  t.deepEqual(plan.nodes.get('n')?.edges, [
    { to: 'b', on: 'success', condition: null },
    { to: 'a', on: 'choice', condition: null },
  ]);
  t.true(plan.reaches('n', 'a'));
});

test('a judge names the model that policies look at', (t) => {
  const plan = planOf({
    models: { m: { provider: 'OpenAI', model: 'small' } },
    nodes: { n: { kind: { type: 'eval', scorers: [BIG, JUDGE] } }, plain: evaluate({}) },
    start_node: 'n',
  });
  const modelsOf = (id: string) => evalKind.model?.(plan.nodes.get(id)?.spec as EvalSpec);
  t.deepEqual(modelsOf('n'), ['openai/small', 'small']);
  t.deepEqual(modelsOf('plain'), []);
});

for (const [fields, problem] of [
  [{ scorers: null }, '/kind/scorers: missing scorers'],
  [
    { scorers: [{ type: 'x' }] },
    '/kind/scorers/0/type: must be one of assertion, latency, cost, llm_judge',
  ],
  [
    { on_fail: 'again' },
    '/kind/on_fail: must be "fail", "warn", "retry", {"retry": {"target": …}} or {"branch": {"target": …}}',
  ],
  [
    { on_fail: { retry: {}, branch: {} } },
    '/kind/on_fail: must be "fail", "warn", "retry", {"retry": {"target": …}} or {"branch": {"target": …}}',
  ],
  [
    { on_fail: 'retry' },
    '/kind/on_fail: no edge leads here: name the node to go back to, as {"retry": {"target": …}}',
  ],
  [{ on_fail: { retry: { target: 'no' } } }, '/kind/on_fail/retry/target: there is no node "no"'],
  [{ on_fail: { retry: 'n' } }, '/kind/on_fail/retry: must be the node that makes what is judged'],
  [
    { on_fail: { retry: { target: 'end' } } },
    '/kind/on_fail/retry/target: must be the node that makes what is judged',
  ],
  [{ on_fail: { branch: {} } }, '/kind/on_fail/branch/target: missing target'],
  [{ on_fail: { branch: 'no' } }, '/kind/on_fail/branch: there is no node "no"'],
  [
    { on_fail: { retry: 'other' }, max_retries: -1 },
    '/kind/max_retries: must be a whole number from 0 to 1000',
  ],
  [{ input_expr: 'output ==' }, null],
  [{ input_expr: 5 }, '/kind/input_expr: must be an expression'],
  [
    { scorers: [{ type: 'latency', max_ms: 1 }] },
    '/kind/scorers/0/type: no node leads here, so there is no latency to judge',
  ],
  [{ scorers: [{ ...JUDGE }] }, null],
] as const) {
  test(`refused: ${JSON.stringify(fields)}`, (t) => {
    const problems = nodeProblems(evaluate(fields));
    t.is(problems.length, 1);
    if (problem !== null) t.is(problems[0], problem);
  });
}

test('refused: to go back to where no way leads here from', (t) => {
  const ir = (to: string) => ({
    workflow_id: 'w',
    start_node: 'a',
    nodes: { a: {}, b: {}, n: evaluate({ on_fail: { retry: { target: 'b' } } }), z: {} },
    edges: [
      { from: 'a', to: 'n' },
      { from: 'b', to },
      { from: 'z', to: 'n' },
    ],
  });
  t.deepEqual(problemsOf(ir('z')), []);
  t.deepEqual(problemsOf(ir('end')), [
    '/nodes/n/kind/on_fail/retry/target: there is no way from "b" back here, so nothing would be judged again',
  ]);
});

test('refused: a cost of what asks no model, and retry where several nodes lead', (t) => {
  const ir = (fields: JsonObject, nodes: JsonObject = {}) => ({
    workflow_id: 'w',
    start_node: 'a',
    nodes: { a: {}, b: {}, n: evaluate(fields), ...nodes },
    edges: [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'n' },
      { from: 'b', to: 'n' },
    ],
  });
  const cost = { scorers: [{ type: 'cost', max_usd: 1 }] };
  t.deepEqual(problemsOf(ir(cost)), [
    '/nodes/n/kind/scorers/0/type: what "a" costs is not known: it is no node that asks a model',
  ]);
  t.deepEqual(problemsOf(ir({ on_fail: 'retry' })), [
    '/nodes/n/kind/on_fail: edges of several nodes lead here: name the node to go back to, as {"retry": {"target": …}}',
  ]);
});

test('max_retries without retry is warned about', (t) => {
  const read = readWorkflow({
    ir: { workflow_id: 'w', nodes: { n: evaluate({ max_retries: 2, on_fail: 'warn' }) } },
    kinds: builtInKinds,
  });
  t.deepEqual(read.ok && read.warnings, [
    {
      code: 'without_effect',
      pointer: '/nodes/n/kind/max_retries',
      message: 'without effect: on_fail is warn',
    },
  ]);
});
