import test from 'ava';
import { enter, nodeProblems, planOf } from '../enter.ts';

test('it parks for a decision, as long as the node or else the workflow says', (t) => {
  const own = { kind: { type: 'human_approval', description: 'Ship it?', timeout_secs: '1h' } };
  const timeouts = { approval_timeout: 60 };
  t.deepEqual(enter(own, { timeouts }), {
    do: 'approval',
    description: 'Ship it?',
    timeoutMs: 3_600_000,
    shown: null,
  });
  t.like(enter({ kind: 'human_approval' }, { timeouts }), { description: null, timeoutMs: 60_000 });
  t.like(enter({ kind: 'human_approval' }), { timeoutMs: null });
});

test('it shows the value of its input_mapping, and nothing without one', (t) => {
  const node = { kind: 'human_approval', input_mapping: { literal: { amount: 3 } } };
  t.like(enter(node), { do: 'approval', shown: { input: { amount: 3 } } });
  const broken = { kind: 'human_approval', input_mapping: { n: { expr: 'null > 3' } } };
  t.like(enter(broken), { do: 'fail' });
});

test('fallback_node leads on after a failure, wherever it stands', (t) => {
  for (const node of [
    { kind: { type: 'human_approval', fallback_node: 'f' } },
    { kind: 'human_approval', fallback_node: 'f' },
  ]) {
    const plan = planOf({ start_node: 'n', nodes: { n: node, f: {} } });
    t.deepEqual(plan.nodes.get('n')?.edges, [{ to: 'f', on: 'failure', condition: null }]);
    t.true(plan.reaches('n', 'f'));
  }
});

test('fields that cannot be read are refused', (t) => {
  const kind = { type: 'human_approval', description: 1, timeout_secs: 0, fallback_node: 'no' };
  const problems = nodeProblems({ kind });
  t.deepEqual(
    problems.map((problem) => problem.split(':')[0]),
    ['/kind/description', '/kind/timeout_secs', '/kind/fallback_node'],
  );
  t.is(problems[2], '/kind/fallback_node: there is no node "no"');
});
