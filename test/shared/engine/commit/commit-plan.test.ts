import test from 'ava';

import { emptyState } from '../../../../src/shared/domain/execution/draft.ts';
import type { JournalEntry } from '../../../../src/shared/domain/execution/function-events.ts';
import type { ExecutionState } from '../../../../src/shared/domain/execution/state.ts';
import { commitOfDecision } from '../../../../src/shared/engine/commit/commit-plan.ts';
import type { CommitPlan } from '../../../../src/shared/store/commit.ts';
import { History, planOf } from '../../../support/history.ts';

const FUNCTION = { kind: 'function', name: 'shop.order' };
const NAP = { identity: 'nap', kind: 'timer', delay_ms: 5 } as const;

/**
 * One decision resumes a function after its wait and finds the other overdue, so the execution
 * fails.
 */
function backAndOver(...entries: JournalEntry[]): { readonly item: string; commit: CommitPlan } {
  const plan = planOf({
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['waiting', 'late'] } },
      waiting: FUNCTION,
      late: { ...FUNCTION, node_timeout_secs: 1 },
    },
  });
  const history = new History(plan);
  const { workItemId } = history.live('waiting');
  const item = workItemId ?? '';
  const at = { visit: 0, turn: 0 };
  if (entries.length > 0) {
    const payload = { ...at, position: 0, entries };
    history.record({ kind: 'StepRecorded', nodeId: 'waiting', payload });
  }
  const of = { ...at, attempt: 0, work_item_id: item, lease_fence: 1, request_hash: 'hash' };
  history.record({ kind: 'NodeSuspended', nodeId: 'waiting', payload: { ...of, waits: [NAP] } });
  const before = history.effects.length;
  history.record(
    {
      kind: 'TimerFired',
      nodeId: 'waiting',
      payload: { purpose: 'function_wait', visit: 0, step: 'nap' },
    },
    { kind: 'TimerFired', nodeId: 'late', payload: { purpose: 'function_timeout', visit: 0 } },
  );
  const commit = commitOfDecision({
    plan,
    base: history.state,
    rowStatus: null,
    events: [],
    decision: {
      events: [],
      effects: history.effects.slice(before),
      next: history.state,
      more: false,
    },
    home: { leaseTo: null, priority: 0 },
    takeSnapshot: false,
    descendantsMax: 1,
  });
  return { item, commit };
}

test('a function that comes back and is ended in one decision is on no queue', (t) => {
  const { commit } = backAndOver();
  t.deepEqual(commit.retries, []);
  t.true(commit.revokesAll);
});

test('an item due for rollback is then queued once', (t) => {
  const { item, commit } = backAndOver({ identity: 'undo', kind: 'on_rollback' });
  t.deepEqual(
    commit.retries.map(({ ticket }) => [ticket.workItemId, ticket.attempt]),
    [[item, 0]],
  );
  t.true(commit.revokesItems.some((one) => one === item));
});

test('the first of several decisions says that the token of the execution is used', (t) => {
  const plan = planOf({ nodes: { go: FUNCTION } });
  const { state } = new History(plan);
  const unbegun = emptyState(state);
  const usesToken = (base: ExecutionState, more: boolean) =>
    commitOfDecision({
      plan,
      base,
      rowStatus: null,
      events: [],
      decision: { events: [], effects: [], next: state, more },
      home: { leaseTo: null, priority: 0 },
      takeSnapshot: false,
      descendantsMax: 1,
    }).usesToken;
  t.true(usesToken(unbegun, true));
  t.is(usesToken(unbegun, false), undefined);
  t.is(usesToken(state, true), undefined);
});
