import test from 'ava';

import { History, planOf } from '../../../support/history.ts';
import { enter, nodeProblems, problemsOf } from '../enter.ts';

const SMALL = { name: 'small', condition: 'state.total < 10', message: 'too much' };
const KNOWN = { name: 'known', condition: 'state.user in ["kim"]' };
const rules = [SMALL, KNOWN];

test('rules that hold let it complete', (t) => {
  const state = { total: 5, user: 'kim' };
  t.deepEqual(enter({ kind: { type: 'policy', rules } }, { state }), {
    do: 'complete',
    output: { violations: [] },
    violations: [],
  });
});

test('rules that do not hold fail it, with what their author says', (t) => {
  const state = { total: 50, user: 'eve' };
  t.deepEqual(enter({ kind: { type: 'policy', rules } }, { state }), {
    do: 'fail',
    error: 'the policy is violated: too much; known does not hold',
    errorClass: 'policy_violation',
    violations: [
      { name: 'small', message: 'too much' },
      { name: 'known', message: 'known does not hold' },
    ],
  });
});

test('warn completes with the violations', (t) => {
  const state = { total: 50, user: 'kim' };
  const violations = [{ name: 'small', message: 'too much' }];
  t.deepEqual(enter({ kind: { type: 'policy', rules, on_violation: 'warn' } }, { state }), {
    do: 'complete',
    output: { violations },
    violations,
  });
});

test('a rule sees output and input, and any value counts as a condition does', (t) => {
  const check = (condition: string) =>
    enter(
      { kind: { type: 'policy', rules: [{ condition }] } },
      { output: { rows: [] }, input: { n: 1 } },
    ).do;
  t.is(check('input.n == 1'), 'complete');
  t.is(check('output.rows'), 'fail');
});

test('a rule that cannot be judged fails the node, also with warn', (t) => {
  const own = [{ condition: 'state.total > 3' }];
  t.like(
    enter(
      { kind: { type: 'policy', rules: own, on_violation: 'warn' } },
      { state: { total: null } },
    ),
    { do: 'fail', errorClass: 'expression_error' },
  );
});

const BRANCHING = {
  start_node: 'check',
  policies: { spending: { rules } },
  nodes: {
    check: {
      kind: {
        type: 'policy',
        policy_ref: 'spending',
        on_violation: { branch: { target: 'review' } },
      },
      output_key: 'checked',
    },
    pay: {},
    review: {},
  },
  edges: [{ from: 'check', to: 'pay' }],
};

test('branch leads on there in place of the edges, and puts each violation on record', (t) => {
  const history = new History(planOf(BRANCHING), { total: 50, user: 'eve' });
  t.deepEqual(history.story(), [
    'WorkflowStarted',
    'NodeScheduled check',
    'PolicyViolation check',
    'PolicyViolation check',
    'NodeCompleted check',
    'NodeScheduled review',
    'NodeCompleted review',
    'NodeSkipped pay',
    'WorkflowCompleted',
  ]);
  t.deepEqual(history.events[2]?.payload, {
    visit: 0,
    name: 'small',
    rule: 'rule',
    message: 'too much',
  });
});

test('without a violation the branch is not taken', (t) => {
  const history = new History(planOf(BRANCHING), { total: 5, user: 'kim' });
  t.true(history.story().includes('NodeCompleted pay'));
  t.true(history.story().includes('NodeSkipped review'));
});

test('a violation fails the execution, unless something leads on', (t) => {
  const nodes = { check: { kind: { type: 'policy', rules } } };
  const history = new History(planOf({ nodes }), { total: 50, user: 'kim' });
  t.deepEqual(history.story().slice(-3), [
    'PolicyViolation check',
    'NodeFailed check',
    'WorkflowFailed',
  ]);
  t.is(history.state.error, 'node check failed: the policy is violated: too much');
});

test('items of a map are checked one by one', (t) => {
  const body = {
    kind: { type: 'policy', rules: [{ condition: 'input.item < 10' }], on_violation: 'warn' },
  };
  const nodes = {
    all: { kind: { type: 'map', items: '$.totals', node: body }, output_key: 'out' },
  };
  const history = new History(planOf({ nodes }), { totals: [5, 50] });
  t.deepEqual(history.state.data['out'], [
    { violations: [] },
    { violations: [{ name: 'rule 1', message: 'rule 1 does not hold' }] },
  ]);
});

test('a rule that cannot be checked is refused', (t) => {
  const of = (fields: object) => nodeProblems({ kind: { type: 'policy', ...fields } });
  t.deepEqual(of({}), ['/kind/policy_ref: missing policy_ref, or rules of its own']);
  t.deepEqual(of({ policy: 'spending' }), [
    '/kind/policy_ref: missing policy_ref, or rules of its own: policy_ref names the policy, not policy',
  ]);
  t.deepEqual(of({ policy_ref: 'spending' }), [
    '/kind/policy_ref: no policy "spending" that can be checked is in policies',
  ]);
  t.deepEqual(of({ rules: [] }), [
    '/kind/rules: must be a list of rules {condition, name?, message?}, one at least',
  ]);
  t.deepEqual(of({ rules: [{ name: 'a' }] }), ['/kind/rules/0/condition: missing condition']);
  t.is(of({ rules: [{ condition: 'state. <' }] }).length, 1);
  t.deepEqual(of({ rules, on_violation: 'shout' }), [
    '/kind/on_violation: must be "fail", "warn" or {"branch": {"target": …}}',
  ]);
  t.deepEqual(of({ rules, on_violation: { branch: {} } }), [
    '/kind/on_violation/branch/target: missing target',
  ]);
  t.is(of({ rules, on_violation: { branch: { target: 'nowhere' } } }).length, 1);
  t.deepEqual(
    problemsOf({
      workflow_id: 'w',
      nodes: { a: {} },
      policies: { p: { rules: [{ condition: 3 }] }, q: {} },
    }),
    [
      '/policies/p/rules/0/condition: must be an expression',
      '/policies/q/rules: must be a list of rules {condition, name?, message?}, one at least',
    ],
  );
});
