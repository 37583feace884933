import test from 'ava';

import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import { CARRIED_CHILDREN_MAX } from '../../../../src/shared/domain/execution/decisions/continue-as-new.ts';
import { History, planOf } from '../../../support/history.ts';

/** The first event of the run that continues this one. */
function successorOf(history: History): ExecutionEvent | null {
  if (history.state.continuedAs === null) return null;
  return history.effects.find((effect) => effect.do === 'start_successor')?.started ?? null;
}

test('an evaluation goes back as often as it may, however many runs that takes', (t) => {
  const scorers = [{ type: 'assertion', check: 'output.good' }];
  const plan = planOf({
    start_node: 'draft',
    nodes: {
      draft: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } },
      check: { kind: { type: 'eval', scorers, on_fail: 'retry', max_retries: 3 } },
    },
    edges: [{ from: 'draft', to: 'check' }],
    continue_as_new: { when: 'true' },
  });
  let run = new History(plan, { n: 0 });
  let runs = 1;
  for (let next = successorOf(run); next !== null && runs < 50; next = successorOf(run)) {
    run = new History(plan, {}, undefined, next);
    runs += 1;
  }
  t.is(run.state.status, 'failed', `after ${runs} runs`);
  t.is(run.state.data['n'], 4);
  const failed = run.events.find(({ kind }) => kind === 'NodeFailed')?.payload;
  t.like(failed, { visit: 3, error_class: 'eval_failed' });
});

test('the run that continues has the rules of the start', (t) => {
  const plan = planOf({
    nodes: { first: { kind: { type: 'pass' } }, second: { kind: { type: 'pass' } } },
    edges: [{ from: 'first', to: 'second' }],
    continue_as_new: { when: 'true' },
  });
  const rules = { concurrency: { key: "'acme'", limit: 1 } };
  const begun = new History(plan, {}).events[0];
  if (begun?.kind !== 'WorkflowStarted') throw new Error('it has not started');
  const started = { ...begun, payload: { ...begun.payload, start_rules: rules } };
  const next = successorOf(new History(plan, {}, undefined, started));
  t.like(next, { kind: 'WorkflowStarted', payload: { start_rules: rules } });
});

for (const [count, continues] of [
  [CARRIED_CHILDREN_MAX, true],
  [CARRIED_CHILDREN_MAX + 1, false],
] as const) {
  test(`a run with ${count} children that are ending ${continues ? 'continues' : 'waits for some of them'}`, (t) => {
    const plan = planOf({
      nodes: { first: { kind: { type: 'pass' } }, second: { kind: { type: 'pass' } } },
      edges: [{ from: 'first', to: 'second' }],
      continue_as_new: { when: 'true' },
    });
    const first = successorOf(new History(plan, {}));
    if (first?.kind !== 'WorkflowStarted' || first.payload.carried === undefined) {
      throw new Error('it has not continued');
    }
    const { carried } = first.payload;
    const ending = Array.from({ length: count }, (_, visit) => ({
      node_id: 'other',
      visit,
      child_execution_id: `exec_${String(visit).padStart(32, '0')}`,
      parent_execution_id: `exec_${'f'.repeat(32)}`,
    }));
    const arrivals = [{ from: null, to: 'first', output: null }];
    const started = {
      ...first,
      payload: { ...first.payload, carried: { ...carried, arrivals, ending_children: ending } },
    };
    const run = new History(plan, {}, undefined, started);
    const next = successorOf(run);
    t.is(run.state.status, 'completed');
    t.is(next?.kind === 'WorkflowStarted', continues);
    if (next?.kind !== 'WorkflowStarted') return;
    t.is(next.payload.carried?.ending_children?.length, count);
  });
}
