import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { decodeState, encodeState } from '../../../../src/shared/domain/execution/state-codec.ts';
import { History, planOf } from '../../../support/history.ts';

const work = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const pass = { kind: 'pass' };

function chain(...ids: string[]): { from: string; to: string }[] {
  return ids.slice(1).map((to, index) => ({ from: ids[index] as string, to }));
}

test('a workflow without nodes completes at once', (t) => {
  const history = new History(planOf({ nodes: {}, edges: [] }), { a: 1 });
  t.deepEqual(history.story(), ['WorkflowStarted', 'WorkflowCompleted']);
  t.deepEqual(history.state.data, { a: 1 });
});

test('a run of pure nodes is decided together, each with its own events', (t) => {
  const history = new History(
    planOf({ nodes: { a: pass, b: pass }, edges: chain('a', 'b'), start_node: 'a' }),
  );
  t.deepEqual(history.story(), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeCompleted a',
    'NodeScheduled b',
    'NodeCompleted b',
    'WorkflowCompleted',
  ]);
  t.is(history.state.stepsExecuted, 2);
});

test('work is handed out once and its patch reaches the state', (t) => {
  const history = new History(planOf({ nodes: { a: work }, edges: [] }), { total: 1, keep: true });
  t.is(history.state.status, 'running');
  t.deepEqual(
    history.effects.map((effect) => effect.do),
    ['create_work'],
  );
  history.complete('a', { ok: true }, { total: 2, keep: null });
  t.is(history.state.status, 'completed');
  t.deepEqual(history.state.data, { total: 2 });
});

test("a node's output goes under its output key", (t) => {
  const history = new History(planOf({ nodes: { a: { ...work, output_key: 'res' } }, edges: [] }));
  history.complete('a', { n: 1 }, { other: 2 });
  t.deepEqual(history.state.data, { res: { n: 1 }, other: 2 });
});

test('after a split a node with two in-edges waits for both', (t) => {
  const history = new History(
    planOf({
      start_node: 'split',
      nodes: {
        split: { kind: { type: 'parallel', branches: ['a', 'b'] } },
        a: work,
        b: work,
        both: work,
      },
      edges: [
        { from: 'a', to: 'both' },
        { from: 'b', to: 'both' },
      ],
    }),
  );
  t.deepEqual(history.liveNodes(), ['a', 'b']);
  history.complete('b');
  t.deepEqual(history.liveNodes(), ['a']);
  history.complete('a');
  t.deepEqual(history.liveNodes(), ['both']);
  history.complete('both');
  t.is(history.state.status, 'completed');
});

test('a merge that a person has approved merges what came in, also of a state read from text', (t) => {
  const merge = { custom: { function_ref: 'm:merge' } };
  const plan = planOf({
    policy: { require_approval_for: ['m.merge'] },
    nodes: {
      split: { kind: { type: 'parallel', branches: ['a', 'b'] } },
      a: work,
      b: work,
      both: { kind: { type: 'join', merge_strategy: merge } },
    },
    edges: [
      { from: 'a', to: 'both' },
      { from: 'b', to: 'both' },
    ],
    start_node: 'split',
  });
  const history = new History(plan, {}, (state) => decodeState(encodeState(state)));
  history.complete('b', { n: 2 });
  history.complete('a', { n: 1 });
  history.approve('both', 'approved');
  const created = history.effects.findLast((effect) => effect.do === 'create_work');
  t.like(created, { nodeId: 'both', input: { results: { a: { n: 1 }, b: { n: 2 } } } });
  t.deepEqual(history.refold(), history.state);
});

test('after a choice a node with two in-edges starts with the one that was taken', (t) => {
  const ir: JsonObject = {
    start_node: 'choose',
    nodes: {
      choose: {
        kind: {
          type: 'condition',
          branches: [
            { condition: 'state.n > 10', target: 'big' },
            { condition: null, target: 'small' },
          ],
        },
      },
      big: work,
      small: work,
      after: work,
    },
    edges: [
      { from: 'big', to: 'after' },
      { from: 'small', to: 'after' },
    ],
  };
  const history = new History(planOf(ir), { n: 11 });
  t.deepEqual(history.liveNodes(), ['big']);
  t.true(history.story().includes('NodeSkipped small'));
  history.complete('big');
  history.complete('after');
  t.is(history.state.status, 'completed');
  t.is(history.story().filter((line) => line.startsWith('NodeSkipped')).length, 1);
});

test('all conditional edges that hold are taken, else the unconditional ones', (t) => {
  const ir: JsonObject = {
    start_node: 'a',
    nodes: { a: work, x: work, y: work, z: work },
    edges: [
      { from: 'a', to: 'x', condition: 'output.n > 1' },
      { from: 'a', to: 'y', condition: 'state.flag' },
      { from: 'a', to: 'z' },
    ],
  };
  const both = new History(planOf(ir), { flag: true });
  both.complete('a', { n: 2 });
  t.deepEqual(both.liveNodes(), ['x', 'y']);
  const none = new History(planOf(ir), { flag: false });
  none.complete('a', { n: 1 });
  t.deepEqual(none.liveNodes(), ['z']);
});

test('a loop enters its nodes again, each time as a new visit', (t) => {
  const history = new History(
    planOf({
      start_node: 'step',
      nodes: { step: work, done: pass },
      edges: [
        { from: 'step', to: 'step', condition: 'state.n < 3' },
        { from: 'step', to: 'done' },
      ],
    }),
    { n: 0 },
  );
  for (const n of [1, 2, 3]) history.complete('step', {}, { n });
  t.is(history.state.status, 'completed');
  const visits = history.events.flatMap((event) =>
    event.kind === 'NodeScheduled' && event.nodeId === 'step' ? [event.payload.visit] : [],
  );
  t.deepEqual(visits, [0, 1, 2]);
});

test('a node is not started twice by two tokens of one split that meet late', (t) => {
  const history = new History(
    planOf({
      start_node: 's',
      nodes: {
        s: { kind: { type: 'parallel', branches: ['a', 'b'] } },
        a: work,
        b: work,
        c: work,
        j: work,
      },
      edges: [...chain('a', 'j'), ...chain('b', 'c', 'j')],
    }),
  );
  history.complete('a');
  history.complete('b');
  t.deepEqual(history.liveNodes(), ['c']);
  history.complete('c');
  t.deepEqual(history.liveNodes(), ['j']);
});

test('a join waits for exactly the nodes it names and collects their outputs', (t) => {
  const history = new History(
    planOf({
      start_node: 's',
      nodes: {
        s: { kind: { type: 'parallel', branches: ['a', 'b', 'slow'] } },
        a: work,
        b: work,
        slow: work,
        j: { kind: { type: 'join', wait_for: ['a', 'b'] }, output_key: 'all' },
      },
      edges: [...chain('a', 'j'), ...chain('b', 'j')],
    }),
  );
  history.complete('b', { n: 2 });
  t.deepEqual(history.liveNodes(), ['a', 'slow']);
  history.complete('a', { n: 1 });
  t.deepEqual(history.state.data['all'], { a: { n: 1 }, b: { n: 2 } });
  history.complete('slow');
  t.is(history.state.status, 'completed');
});

test('a failed attempt is retried under the same key, then fails the execution', (t) => {
  const history = new History(
    planOf({ start_node: 'a', nodes: { a: work, b: work }, edges: chain('a', 'b') }),
  );
  history.fail('a', true);
  t.deepEqual(
    history.effects.map((effect) => effect.do),
    ['create_work', 'retry_work'],
  );
  t.is(history.live('a').attempt, 1);
  history.fail('a', false);
  t.is(history.state.status, 'failed');
  t.is(history.state.error, 'node a failed: broke');
});

test('a failure cancels what else is live and takes its work back', (t) => {
  const history = new History(
    planOf({
      start_node: 's',
      nodes: {
        s: { kind: { type: 'parallel', branches: ['a', 'b', 'ask'] } },
        a: work,
        b: work,
        ask: { kind: { type: 'human_approval', timeout_secs: 60 } },
      },
      edges: [],
    }),
  );
  history.fail('a');
  t.is(history.state.status, 'failed');
  t.true(history.story().includes('NodeCancelled b'));
  t.true(history.story().includes('NodeCancelled ask'));
  t.is(history.story().at(-1), 'WorkflowFailed');
  t.true(history.effects.some((effect) => effect.do === 'revoke_work'));
  t.true(history.effects.some((effect) => effect.do === 'cancel_timer'));
});

test('a failure edge leads on, and the success side is skipped', (t) => {
  const history = new History(
    planOf({
      start_node: 'a',
      nodes: { a: work, ok: work, rescue: work },
      edges: [
        { from: 'a', to: 'ok' },
        { from: 'a', to: 'rescue', on: 'failure' },
      ],
    }),
  );
  history.fail('a');
  t.deepEqual(history.liveNodes(), ['rescue']);
  t.true(history.story().includes('NodeSkipped ok'));
});

test('an execution pauses for a person and resumes with the patch of the approval', (t) => {
  const history = new History(
    planOf({
      start_node: 'ask',
      nodes: { ask: { kind: { type: 'human_approval', description: 'ok?' } }, b: work },
      edges: chain('ask', 'b'),
    }),
  );
  t.is(history.state.status, 'paused');
  history.approve('ask', 'approved', { limit: 5 });
  t.is(history.state.status, 'running');
  t.deepEqual(history.state.data, { limit: 5 });
  t.deepEqual(history.liveNodes(), ['b']);
});

test('a rejection fails the execution with who and why, and never applies a patch', (t) => {
  const history = new History(planOf({ nodes: { ask: { kind: 'human_approval' } }, edges: [] }));
  history.approve('ask', 'rejected', { limit: 5 });
  t.is(history.state.status, 'failed');
  t.is(history.state.error, 'node ask failed: approval rejected by kim: seen');
  t.deepEqual(history.state.data, {});
});

test('a rejection leads to the fallback node', (t) => {
  const ir = {
    start_node: 'ask',
    nodes: { ask: { kind: { type: 'human_approval', fallback_node: 'plan_b' } }, plan_b: work },
    edges: [],
  };
  const history = new History(planOf(ir));
  history.approve('ask', 'rejected');
  t.deepEqual(history.liveNodes(), ['plan_b']);
});

test('an approval that nobody gives in time fails or falls back', (t) => {
  const ask = { kind: { type: 'human_approval', timeout_secs: 5 } };
  const history = new History(planOf({ nodes: { ask }, edges: [] }));
  t.true(history.effects.some((effect) => effect.do === 'start_timer'));
  history.fireTimer('ask', 'approval_timeout');
  t.is(history.state.status, 'failed');
});

test('a pure timer keeps the execution running', (t) => {
  const nap = { kind: { type: 'wait', condition: 'timer', timeout_secs: 5 } };
  const history = new History(planOf({ nodes: { nap }, edges: [] }));
  t.is(history.state.status, 'running');
  history.fireTimer('nap');
  t.is(history.state.status, 'completed');
});

test('an external event that came early is kept, and taken first in, first out', (t) => {
  const wait = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'k' } };
  const history = new History(
    planOf({
      start_node: 'a',
      nodes: { a: work, w1: { ...wait, output_key: 'one' }, w2: { ...wait, output_key: 'two' } },
      edges: chain('a', 'w1', 'w2'),
    }),
  );
  history.deliver('k', { n: 1 });
  history.deliver('other', {});
  history.deliver('k', { n: 2 });
  history.complete('a');
  t.is(history.state.status, 'completed');
  t.deepEqual(history.state.data, { one: { n: 1 }, two: { n: 2 } });
  t.is(history.state.mailbox.length, 1);
});

test('either: the event wins and the timer is taken back, or the timer wins', (t) => {
  const wait = {
    kind: { type: 'wait', condition: 'either', correlation_key: 'k', timeout_secs: 9 },
    output_key: 'out',
  };
  const byEvent = new History(planOf({ nodes: { wait }, edges: [] }));
  t.is(byEvent.state.status, 'paused');
  byEvent.deliver('k', { n: 1 });
  t.deepEqual(byEvent.state.data, { out: { n: 1 } });
  t.true(byEvent.effects.some((effect) => effect.do === 'cancel_timer'));
  const byTimer = new History(planOf({ nodes: { wait }, edges: [] }));
  byTimer.fireTimer('wait');
  t.deepEqual(byTimer.state.data, { out: { timed_out: true } });
});

test('a map runs its body for every item, no more than its concurrency at a time', (t) => {
  const history = new History(
    planOf({
      start_node: 'each',
      nodes: {
        each: {
          kind: { type: 'map', items: 'state.list', node: 'one', max_concurrency: 2 },
          output_key: 'results',
        },
        one: { ...work, input_mapping: { value: 'input.item' } },
        after: pass,
      },
      edges: chain('each', 'after'),
    }),
    { list: [10, 20, 30] },
  );
  t.deepEqual(history.liveNodes(), ['each', 'one', 'one']);
  const inputs = (): unknown[] =>
    history.effects.flatMap((effect) => (effect.do === 'create_work' ? [effect.input] : []));
  t.deepEqual(inputs(), [{ value: 10 }, { value: 20 }]);
  history.complete('one', { n: 1 });
  t.deepEqual(inputs().at(-1), { value: 30 });
  history.complete('one', { n: 2 });
  history.complete('one', { n: 3 });
  t.is(history.state.status, 'completed');
  t.deepEqual(history.state.data['results'], [{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test('a map over nothing completes with an empty list', (t) => {
  const each = { kind: { type: 'map', items: 'state.none', node: 'one' } };
  const history = new History(
    planOf({ start_node: 'each', nodes: { each, one: work }, edges: [] }),
    {
      none: [],
    },
  );
  t.is(history.state.status, 'completed');
});

test('an item that fails ends its map, or is collected', (t) => {
  const ir = (onItemFailure: string): JsonObject => ({
    start_node: 'each',
    nodes: {
      each: {
        kind: { type: 'map', items: 'state.list', node: 'one', on_item_failure: onItemFailure },
        output_key: 'results',
      },
      one: work,
    },
    edges: [],
  });
  const strict = new History(planOf(ir('fail')), { list: [1, 2] });
  strict.fail('one');
  t.is(strict.state.status, 'failed');
  t.true(strict.story().includes('NodeCancelled one'));
  const lenient = new History(planOf(ir('collect')), { list: [1, 2] });
  lenient.fail('one');
  lenient.complete('one', { n: 2 });
  t.deepEqual(lenient.state.data['results'], [{ error: 'broke' }, { n: 2 }]);
});

test('limit_exceeded ends the execution as failed', (t) => {
  const history = new History(planOf({ nodes: { stop: { kind: 'limit_exceeded' } }, edges: [] }));
  t.is(history.state.status, 'failed');
  t.is(history.story().at(-1), 'WorkflowFailed');
});

test('the workflow timeout fails the execution with anything live', (t) => {
  const history = new History(
    planOf({ nodes: { a: work }, edges: [], timeouts: { workflow_timeout: 60 } }),
  );
  t.true(history.story().includes('TimerStarted'));
  history.record({
    kind: 'TimerFired',
    nodeId: null,
    payload: { purpose: 'workflow_timeout', visit: null },
  });
  t.is(history.state.error, 'workflow timed out');
  t.deepEqual(history.liveNodes(), []);
});

test('an expression that fails at run time fails the execution with the expression quoted', (t) => {
  const history = new History(
    planOf({
      start_node: 'a',
      nodes: { a: work, b: work },
      edges: [{ from: 'a', to: 'b', condition: 'state.n > 3' }],
    }),
  );
  history.complete('a');
  t.is(history.state.status, 'failed');
  t.regex(history.state.error ?? '', /state\.n > 3/);
});

test('an endless loop of pure nodes still commits as it goes', (t) => {
  const plan = planOf({
    start_node: 'a',
    nodes: { a: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
    edges: [{ from: 'a', to: 'a', condition: 'state.n < 1000' }],
  });
  const history = new History(plan, { n: 0 });
  t.is(history.state.status, 'completed');
  t.is(history.state.data['n'], 1000);
});
