import test from 'ava';

import type {
  JournalEntry,
  WaitPayload,
} from '../../../../src/shared/domain/execution/function-events.ts';
import { evolve } from '../../../../src/shared/domain/execution/evolve.ts';
import { cancellationEvents } from '../../../../src/shared/domain/execution/finalizers.ts';
import type { FunctionRun } from '../../../../src/shared/domain/execution/function-run.ts';
import { openFunctionApprovals } from '../../../../src/shared/domain/execution/function-waits.ts';
import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { History, planOf } from '../../../support/history.ts';

const FUNCTION = { kind: 'function', name: 'shop.order' };

/** Encodes and decodes the state between two steps, as between two processes. */
function begin(ir: JsonObject = {}): History {
  return new History(planOf({ nodes: { f: FUNCTION }, ...ir }), {}, (state) =>
    decodeState(encodeState(state)),
  );
}

function run(history: History): FunctionRun {
  const { run: found } = history.live('f');
  if (found === null) throw new Error('f is no function');
  return found;
}

function step(history: History, ...entries: JournalEntry[]): void {
  const { turn, recorded } = run(history);
  const payload = { visit: 0, turn, position: recorded.size, entries };
  history.record({ kind: 'StepRecorded', nodeId: 'f', payload });
}

function suspend(history: History, ...waits: WaitPayload[]): void {
  const { workItemId, attempt } = history.live('f');
  history.record({
    kind: 'NodeSuspended',
    nodeId: 'f',
    payload: {
      visit: 0,
      attempt,
      turn: run(history).turn,
      work_item_id: workItemId ?? '',
      lease_fence: 1,
      request_hash: 'hash',
      waits,
    },
  });
}

function fire(history: History, identity: string): void {
  const payload = { purpose: 'function_wait', visit: 0, step: identity } as const;
  history.record({ kind: 'TimerFired', nodeId: 'f', payload });
}

function deliver(history: History, key: string): void {
  const payload = { correlation_key: key, payload: 7 };
  history.record({ kind: 'ExternalEventReceived', nodeId: null, payload });
}

function kinds(history: History): readonly string[] {
  return history.events.map(({ kind }) => kind);
}

const NAP: WaitPayload = { identity: 'nap', kind: 'timer', delay_ms: 5 };
const PAID: WaitPayload = {
  identity: 'paid',
  kind: 'event',
  correlation_key: 'payment',
  timeout_ms: 9,
};
const undo: readonly JournalEntry[] = [
  { identity: 'a', kind: 'on_rollback' },
  { identity: 'b', kind: 'on_rollback' },
];

test('a satisfied wait puts the item back on its queue once, with its entry', (t) => {
  const history = begin();
  suspend(history, NAP, PAID);
  t.is(history.state.status, 'paused');
  fire(history, 'nap');
  t.deepEqual(kinds(history).slice(-3), ['TimerFired', 'StepRecorded', 'NodeResumed']);
  const requeued = () => history.effects.filter((effect) => effect.do === 'requeue_work');
  t.is(requeued().length, 1);
  t.is(run(history).turn, 1);
  deliver(history, 'payment');
  t.is(requeued().length, 1, 'while it is queued or leased, the event is held');
  t.is(history.state.mailbox.length, 1);
  suspend(history, PAID);
  t.is(requeued().length, 2);
  t.is(history.state.mailbox.length, 0);
  const cancelled = history.effects.filter((effect) => effect.do === 'cancel_timer');
  t.deepEqual(cancelled, [{ do: 'cancel_timer', name: 'function_wait:f#0/paid' }]);
});

test('an event that was accepted comes before a time-out that fired meanwhile', (t) => {
  const history = begin();
  suspend(history, PAID, NAP);
  fire(history, 'nap');
  fire(history, 'paid');
  deliver(history, 'payment');
  suspend(history, PAID);
  const last = history.events.findLast(({ kind }) => kind === 'StepRecorded');
  t.like(last?.payload, { entries: [{ identity: 'paid', kind: 'event', output: 7 }] });
});

test('a wait that is named again keeps its state, and is not opened twice', (t) => {
  const history = begin();
  suspend(history, PAID, NAP);
  fire(history, 'nap');
  suspend(history, PAID);
  t.is(run(history).waits.length, 1);
});

test('a timer of a visit that is over changes nothing', (t) => {
  const g = { kind: 'python_fn', module: 'm', function: 'f' };
  const edges = [{ from: 'f', to: 'g' }];
  const history = begin({ start_node: 'f', nodes: { f: FUNCTION, g }, edges });
  history.complete('f');
  fire(history, 'nap');
  t.is(history.events.at(-1)?.kind, 'TimerFired');
  t.is(history.state.status, 'running');
});

test('a retry is the next turn, and keeps journal and waits', (t) => {
  const history = begin();
  suspend(history, NAP, PAID);
  fire(history, 'nap');
  step(history, { identity: 'own', kind: 'step', output: 1 });
  deliver(history, 'payment');
  history.fail('f', true);
  t.is(run(history).turn, 2);
  t.deepEqual([...run(history).recorded.keys()], ['nap', 'own', 'paid']);
});

test('a failure with compensations is rolled back, and ends the execution after them', (t) => {
  const history = begin();
  step(history, ...undo);
  history.fail('f');
  t.is(history.state.status, 'running');
  t.like(run(history), { mode: 'rollback', turn: 1, compensations: ['a', 'b'] });
  const scheduled = history.events.at(-1);
  t.like(scheduled?.payload, { attempt: 0, cause: 'failed', compensations: ['b', 'a'] });
  step(
    history,
    { identity: 'rollback/b', kind: 'rollback', output: null },
    { identity: 'rollback/a', kind: 'rollback', output: null },
  );
  t.deepEqual(run(history).compensations, []);
  const failure = { visit: 0, attempt: 0, error: 'it broke', error_class: 'error' };
  const payload = { ...failure, retryable: false, rolled_back: true } as const;
  history.record({ kind: 'NodeFailed', nodeId: 'f', payload });
  t.is(history.state.status, 'failed');
});

test('a function that is about to roll back asks for no decision any more', (t) => {
  const history = begin();
  step(history, ...undo);
  suspend(history, { identity: 'may', kind: 'approval' });
  t.is(openFunctionApprovals(history.live('f')).length, 1);
  // The state between a cancel and the scheduler's decision.
  const { state, plan } = history;
  const events = cancellationEvents(plan, state).map((event, index) => ({
    ...event,
    sequence: state.sequence + index + 1,
  }));
  const visit = [...evolve({ state, events, plan }).live.values()][0];
  t.is(visit?.run?.waits.length, 1);
  t.deepEqual(visit && openFunctionApprovals(visit), []);
});

test('a rollback that fails permanently ends the visit', (t) => {
  const history = begin();
  step(history, ...undo);
  history.fail('f');
  history.fail('f');
  t.is(history.state.status, 'failed');
});

test('the failure of another node waits for the rollback', (t) => {
  const other = { kind: 'python_fn', module: 'm', function: 'f' };
  const start = { kind: 'parallel', branches: ['f', 'other'] };
  const history = begin({ start_node: 'start', nodes: { start, f: FUNCTION, other } });
  step(history, ...undo);
  history.fail('other');
  t.is(history.state.status, 'running');
  t.is(history.state.ending?.outcome, 'failed');
  t.is(run(history).mode, 'rollback');
  // One decision revokes the item and queues it again.
  const effects = history.effects.map((effect) => effect.do).slice(-2);
  t.deepEqual(effects, ['revoke_work', 'requeue_work']);
  const payload = { visit: 0, reason: 'the execution failed', rolled_back: true } as const;
  history.record({ kind: 'NodeCancelled', nodeId: 'f', payload });
  t.is(history.state.status, 'failed');
});

test('a function whose time is over fails, wherever its item is', (t) => {
  const history = begin({ nodes: { f: { ...FUNCTION, node_timeout_secs: 5 } } });
  t.is(history.events.at(-1)?.kind, 'TimerStarted');
  suspend(history, PAID);
  const payload = { purpose: 'function_timeout', visit: 0 } as const;
  history.record({ kind: 'TimerFired', nodeId: 'f', payload });
  t.is(history.state.status, 'failed');
  t.regex(history.state.error ?? '', /took longer than 5 s/);
});

test('a visit keeps the build that it is pinned to, and a continuation begins without', (t) => {
  const history = begin({ nodes: { f: { ...FUNCTION, pinned: true } } });
  t.is(run(history).buildId, null);
  history.record({ kind: 'NodePinned', nodeId: 'f', payload: { visit: 0, build_id: 'b1' } });
  suspend(history, NAP);
  fire(history, 'nap');
  t.deepEqual([run(history).turn, run(history).buildId], [1, 'b1']);
  history.record({ kind: 'NodePinned', nodeId: 'f', payload: { visit: 0, build_id: null } });
  t.is(run(history).buildId, null);
});

const STOPS = { ...FUNCTION, node_timeout_secs: 5, count_suspended: false };
const CLOCK = 'function_timeout:f#0';

function movesOfClock(history: History): readonly string[] {
  return history.effects.flatMap((effect) =>
    'name' in effect && effect.name === CLOCK ? [effect.do] : [],
  );
}

test('the time of a function that stops runs again with its next turn', (t) => {
  const history = begin({ nodes: { f: STOPS } });
  suspend(history, NAP);
  fire(history, 'nap');
  t.deepEqual(movesOfClock(history), ['start_timer', 'release_timer']);
  const payload = { purpose: 'function_timeout', visit: 0 } as const;
  history.record({ kind: 'TimerFired', nodeId: 'f', payload });
  t.is(history.state.error, 'node f failed: the function was queued or ran longer than 5 s');
});

test('the time of a function that stops does not run while a budget holds it', (t) => {
  const history = begin({ nodes: { f: STOPS } });
  suspend(history, NAP);
  history.budgets = [
    {
      account: history.state.executionId,
      budget: {
        tokens: { input: null, output: null, total: 1 },
        costUsd: null,
        onExceeded: 'pause',
      },
      spent: { inputTokens: 1, outputTokens: 0, costUsd: 0 },
    },
  ];
  fire(history, 'nap');
  t.is(history.live('f').phase, 'approval');
  t.deepEqual(movesOfClock(history), ['start_timer', 'hold_timer']);
  history.record({
    kind: 'ApprovalReceived',
    nodeId: 'f',
    payload: { visit: 0, decision: 'approved', user_id: null, comment: null },
  });
  t.deepEqual(movesOfClock(history), ['start_timer', 'hold_timer', 'release_timer']);
});

test('a rollback takes the time of a function back, held or not', (t) => {
  const history = begin({ nodes: { f: STOPS } });
  step(history, ...undo);
  suspend(history, PAID);
  history.record({ kind: 'NodeCancelled', nodeId: 'f', payload: { visit: 0, reason: 'enough' } });
  t.deepEqual(movesOfClock(history), ['start_timer', 'cancel_timer']);
});

test('the time of a function that always counts is never held', (t) => {
  const history = begin({ nodes: { f: { ...STOPS, count_suspended: true } } });
  suspend(history, NAP);
  fire(history, 'nap');
  t.deepEqual(movesOfClock(history), ['start_timer']);
});

test('a function that only a timer or a child wakes keeps its execution running', (t) => {
  const history = begin();
  suspend(history, NAP);
  t.is(history.state.status, 'running');
});

test('an identity is recorded once, or the history is broken', (t) => {
  const history = begin();
  step(history, { identity: 'a', kind: 'step' });
  t.throws(() => step(history, { identity: 'a', kind: 'step' }), { message: /recorded twice/ });
});

test('a journal of 10 000 entries is folded fast and stored small', (t) => {
  const history = new History(planOf({ nodes: { f: FUNCTION } }));
  for (let from = 0; from < 10_000; from += 100) {
    const entries = Array.from({ length: 100 }, (_, index): JournalEntry => ({
      identity: `step-${from + index}`,
      kind: 'step',
    }));
    step(history, ...entries);
  }
  const text = encodeState(history.state);
  t.true(text.length < 300_000, String(text.length));
  t.is(decodeState(text).live.get('f#0')?.run?.recorded.get('step-9999'), history.state.sequence);
});
