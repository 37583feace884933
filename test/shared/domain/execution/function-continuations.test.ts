import test from 'ava';

import type { ExecutionEvent } from '../../../../src/shared/domain/execution/event.ts';
import type {
  JournalEntry,
  WaitPayload,
} from '../../../../src/shared/domain/execution/function-events.ts';
import type { FunctionRun } from '../../../../src/shared/domain/execution/function-run.ts';
import { createRetrySearch } from '../../../../src/shared/domain/execution/retry-point.ts';
import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { History, planOf } from '../../../support/history.ts';

/* Functions that continue as new, and the retries of their executions. */

const FUNCTION = { kind: 'function', name: 'shop.poll' };
const G = { kind: 'python_fn', module: 'm', function: 'f' };
const NAP: WaitPayload = { identity: 'nap', kind: 'timer', delay_ms: 5 };
const PAID: WaitPayload = {
  identity: 'paid',
  kind: 'event',
  correlation_key: 'payment',
  timeout_ms: 9,
};

/** Encodes and decodes the state between two steps, as between two processes. */
function begin(ir: JsonObject = {}, input: JsonObject = {}): History {
  return new History(planOf({ nodes: { f: FUNCTION }, ...ir }), input, (state) =>
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
  const { visit } = history.live('f');
  const payload = { visit, turn, position: recorded.size, entries };
  history.record({ kind: 'StepRecorded', nodeId: 'f', payload });
}

function suspend(history: History, ...waits: WaitPayload[]): void {
  const { workItemId, attempt, visit } = history.live('f');
  history.record({
    kind: 'NodeSuspended',
    nodeId: 'f',
    payload: {
      visit,
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
  const { visit } = history.live('f');
  const payload = { purpose: 'function_wait', visit, step: identity } as const;
  history.record({ kind: 'TimerFired', nodeId: 'f', payload });
}

function kinds(history: History): readonly string[] {
  return history.events.map(({ kind }) => kind);
}

function continueAsNew(history: History, input: JsonObject): void {
  history.record(continued(history, input));
}

function continued(history: History, input: JsonObject): ExecutionEvent {
  const { visit, attempt, workItemId } = history.live('f');
  const payload = {
    visit,
    attempt,
    turn: run(history).turn,
    work_item_id: workItemId ?? '',
    lease_fence: 1,
    request_hash: 'hash',
    input,
  };
  return { kind: 'NodeContinuedAsNew', nodeId: 'f', payload };
}

function created(history: History) {
  return history.effects.filter((effect) => effect.do === 'create_work');
}

test('a function that continues begins another visit, with its input and nothing else', (t) => {
  const history = begin({
    start_node: 'f',
    nodes: { f: { ...FUNCTION, node_timeout_secs: 5, output_key: 'f' }, g: G },
    edges: [{ from: 'f', to: 'g' }],
  });
  suspend(history, PAID);
  step(history, { identity: 'poll', kind: 'step', output: 1 });
  continueAsNew(history, { cursor: 7 });
  t.deepEqual(kinds(history).slice(-3), ['NodeContinuedAsNew', 'NodeScheduled', 'TimerStarted']);
  t.like(history.events.at(-2)?.payload, { visit: 1, continues: 0, from: [], output_key: 'f' });
  t.deepEqual([...history.state.live.keys()], ['f#1']);
  t.like(history.live('f'), { visit: 1, attempt: 0, phase: 'work', signal: null });
  t.like(run(history), { turn: 0, waits: [], compensations: [], hasTimeout: true });
  t.is(run(history).recorded.size, 0);
  const [first, second] = created(history);
  t.deepEqual([first?.input, second?.input], [{}, { cursor: 7 }]);
  t.not(second?.idempotencyKey, first?.idempotencyKey);
  t.not(second?.workItemId, first?.workItemId);
  history.complete('f', { done: true });
  t.deepEqual(history.state.data, { f: { done: true } });
  t.is(history.live('g').visit, 0);
});

test('the key of a visit that continues with the same input is another', (t) => {
  const history = begin();
  continueAsNew(history, { same: true });
  continueAsNew(history, { same: true });
  const keys = created(history).map(({ idempotencyKey }) => idempotencyKey);
  t.is(new Set(keys).size, 3);
});

test('an event that no wait has taken is available to the next visit', (t) => {
  const history = begin();
  suspend(history, NAP, PAID);
  fire(history, 'nap');
  history.deliver('payment', 7);
  continueAsNew(history, {});
  t.is(history.state.mailbox.length, 1);
});

test('a function that is an item of a map stays its item when it continues', (t) => {
  const map = { kind: { type: 'map', items: 'input.list', node: 'f' }, output_key: 'all' };
  const ir = { start_node: 'm', nodes: { m: map, f: FUNCTION } };
  const history = begin(ir, { list: ['a', 'b'] });
  continueAsNew(history, { n: 1 });
  t.like(history.events.at(-1)?.payload, { visit: 2, continues: 0, map: { index: 0 } });
  // The oldest visit is now that of the second item.
  history.complete('f', 'second');
  history.complete('f', 'first');
  t.is(history.state.status, 'completed');
  t.deepEqual(history.state.data['all'], ['first', 'second']);
});

test('a pause holds a visit that is to begin, and a resume begins it', (t) => {
  const history = begin();
  history.record({
    kind: 'ExecutionPaused',
    nodeId: null,
    payload: { scope: 'execution', by: 'x' },
  });
  continueAsNew(history, { n: 1 });
  t.is(history.events.at(-1)?.kind, 'NodeContinuedAsNew');
  const resumed = { scope: 'execution', by: 'x' } as const;
  history.record({ kind: 'ExecutionResumed', nodeId: null, payload: resumed });
  t.is(history.live('f').visit, 1);
});

test('a state of a thousand visits is as small as that of one', (t) => {
  const history = begin();
  const sizes: number[] = [];
  for (let visit = 0; visit < 1_000; visit += 1) {
    step(history, { identity: 'poll', kind: 'step', output: visit });
    continueAsNew(history, { visit });
    sizes.push(encodeState(history.state).length);
  }
  const [first = 0] = sizes;
  t.true(Math.max(...sizes) - first < 50, `${first} to ${Math.max(...sizes)}`);
});

test('a run whose history is long enough ends when its function continues', (t) => {
  const history = begin({ continue_as_new: { when: 'true' }, nodes: { f: FUNCTION } });
  continueAsNew(history, { n: 1 });
  t.is(history.state.status, 'completed');
  const successor = history.effects.find((effect) => effect.do === 'start_successor');
  if (successor?.do !== 'start_successor') return t.fail('no run follows');
  const next = new History(history.plan, {}, undefined, successor.started);
  t.deepEqual(
    created(next).map(({ input }) => input),
    [{ n: 1 }],
  );
  t.deepEqual(next.state.carriedInputs, {});
  t.is(next.live('f').visit, 0);
});

test('a run does not end while something else of it is live', (t) => {
  const map = { kind: { type: 'map', items: 'input.list', node: 'f' } };
  const nodes = { m: map, f: FUNCTION };
  const ir = { continue_as_new: { when: 'true' }, start_node: 'm', nodes };
  const history = begin(ir, { list: ['a', 'b'] });
  continueAsNew(history, { n: 1 });
  t.is(history.state.status, 'running');
  t.deepEqual([...history.state.live.keys()], ['m#0', 'f#1', 'f#2']);
});

const SUCCESSOR = 'exec_0198c0de00007000a000000000000002' as ExecutionId;

/** The execution that retries this ended one. */
function retryOf({ plan, state, events }: History): History {
  const { executionId, tenantId, workflowId: workflow_id, input } = state;
  const recorded = events.map((event) => ({ ...event, createdAt: '', actorId: 'worker:w' }));
  const search = createRetrySearch({ executionId, tenantId, plan, newPlan: plan });
  for (const event of recorded) search.add([event]);
  const point = search.find({ successor: SUCCESSOR, statePatch: null, usage: state.usage });
  if ('refused' in point) throw new Error(point.refused);
  const { sequence, nodeId: node_id, carried } = point;
  const retried_from = { execution_id: executionId, sequence, node_id, keys_of: executionId };
  const definition = { workflow_id, workflow_version: '1.0.0', definition_id: 'd' };
  const payload = { ...definition, input, carried, retried_from };
  const started = { kind: 'WorkflowStarted', nodeId: null, payload } as const;
  return new History(plan, {}, (kept) => decodeState(encodeState(kept)), started);
}

const POLL: JournalEntry = { identity: 'poll', kind: 'step', output: 1 };

test('a retry continues the last visit, with its input and its journal', (t) => {
  const history = begin();
  step(history, POLL);
  continueAsNew(history, { n: 1 });
  step(history, POLL, { identity: 'more', kind: 'step' });
  const [, second] = created(history);
  history.fail('f');
  const retry = retryOf(history);
  t.like(retry.live('f'), { visit: 1 });
  t.deepEqual([...run(retry).recorded.keys()], ['poll', 'more']);
  t.like(created(retry)[0], { input: { n: 1 }, idempotencyKey: second?.idempotencyKey });
  t.deepEqual(retry.state.carriedInputs, {});
});

test('a retry of a visit that was rolled back begins it again, not the visits before it', (t) => {
  const history = begin();
  step(history, POLL);
  continueAsNew(history, { n: 1 });
  step(history, { identity: 'undo', kind: 'on_rollback' });
  history.fail('f');
  step(history, { identity: 'rollback/undo', kind: 'rollback', output: null });
  const failure = { visit: 1, attempt: 0, error: 'it broke', error_class: 'error' };
  const payload = { ...failure, retryable: false, rolled_back: true } as const;
  history.record({ kind: 'NodeFailed', nodeId: 'f', payload });
  t.is(history.state.status, 'failed');
  const retry = retryOf(history);
  t.like(retry.live('f'), { visit: 2 });
  t.is(run(retry).recorded.size, 0);
  t.deepEqual(created(retry)[0]?.input, { n: 1 });
});

test('a retry begins the visit that a continuation had asked for and no decision had', (t) => {
  const history = begin();
  step(history, POLL);
  const cancelled = { visit: 0, reason: 'the execution was cancelled' };
  history.record(
    continued(history, { n: 1 }),
    { kind: 'NodeCancelled', nodeId: 'f', payload: cancelled },
    { kind: 'WorkflowCancelled', nodeId: null, payload: {} },
  );
  const retry = retryOf(history);
  t.like(retry.live('f'), { visit: 1 });
  t.is(run(retry).recorded.size, 0);
  t.deepEqual(created(retry)[0]?.input, { n: 1 });
});

test('a retry continues each item of a map where its function had continued', (t) => {
  const map = { kind: { type: 'map', items: 'input.list', node: 'f' }, output_key: 'all' };
  const other = { start_node: 's', nodes: { s: { kind: 'parallel', branches: ['m', 'g'] } } };
  const nodes = { ...other.nodes, m: map, f: FUNCTION, g: G };
  const history = begin({ ...other, nodes }, { list: ['a', 'b'] });
  step(history, POLL);
  continueAsNew(history, { n: 'a' });
  history.fail('g');
  t.is(history.state.status, 'failed');
  const retry = retryOf(history);
  const inputs = created(retry).flatMap((effect) =>
    effect.nodeId === 'f' ? [[effect.visit, effect.input]] : [],
  );
  t.deepEqual(inputs, [
    [2, { n: 'a' }],
    [1, { list: ['a', 'b'], item: 'b' }],
  ]);
});

/** A source whose completions start the function, and the source again. */
const LOOP: JsonObject = {
  start_node: 'g',
  nodes: { g: G, f: FUNCTION },
  edges: [
    { from: 'g', to: 'f', condition: 'output.n >= 0' },
    { from: 'g', to: 'g', condition: 'output.more' },
  ],
};

/** Two visits of the function, each with a separate step. */
function twice(): History {
  const history = begin(LOOP);
  for (const n of [0, 1]) {
    history.complete('g', { more: true, n });
    const entries = [{ identity: `poll ${n}`, kind: 'step' as const, output: n }];
    const payload = { visit: n, turn: 0, position: 0, entries };
    history.record({ kind: 'StepRecorded', nodeId: 'f', payload });
  }
  return history;
}

function visitsOf({ state }: History): readonly unknown[] {
  return [...state.live.values()]
    .filter(({ nodeId }) => nodeId === 'f')
    .map(({ visit, scope, run: found }) => [
      visit,
      scope.output,
      [...(found?.recorded.keys() ?? [])],
    ]);
}

test('a retry continues each of two visits of one node, with its own journal', (t) => {
  const history = twice();
  const expected = [
    [0, { more: true, n: 0 }, ['poll 0']],
    [1, { more: true, n: 1 }, ['poll 1']],
  ];
  t.deepEqual(visitsOf(history), expected);
  history.fail('g');
  t.is(history.state.status, 'failed');
  const retry = retryOf(history);
  t.deepEqual(visitsOf(retry), expected);
  t.deepEqual(retry.state.carriedJournals, {});
  const keys = ({ effects }: History) =>
    effects.flatMap((effect) => (effect.do === 'create_work' ? [effect.idempotencyKey] : []));
  t.true(keys(retry).every((key) => keys(history).includes(key)));
});

test('a visit that starts after a retry has a number of its own', (t) => {
  const history = twice();
  const payload = { visit: 1, output: { done: 1 } };
  history.record({ kind: 'NodeCompleted', nodeId: 'f', payload });
  history.fail('g');
  const retry = retryOf(history);
  retry.complete('g', { more: false, n: 2 });
  t.deepEqual(visitsOf(retry), [
    [0, { more: true, n: 0 }, ['poll 0']],
    [2, { more: false, n: 2 }, []],
  ]);
});

test('a retry continues the visit that a continuation asked for beside another one', (t) => {
  const history = twice();
  const cancelled = (visit: number) => ({ visit, reason: 'the execution was cancelled' });
  history.record(
    continued(history, { n: 'next' }),
    { kind: 'NodeCancelled', nodeId: 'f', payload: cancelled(0) },
    { kind: 'NodeCancelled', nodeId: 'f', payload: cancelled(1) },
    { kind: 'WorkflowCancelled', nodeId: null, payload: {} },
  );
  const retry = retryOf(history);
  const inputs = created(retry).flatMap((effect) =>
    effect.nodeId === 'f' ? [[effect.visit, effect.input]] : [],
  );
  t.deepEqual(inputs, [
    [2, { n: 'next' }],
    [1, {}],
  ]);
  t.deepEqual([...run(retry).recorded.keys()], []);
});
