import { onBothStores } from '../../support/both-stores.ts';
import { masked } from '../../support/told.ts';

/* Kinds that determine the path of an execution: choices, splits, barriers, maps and loops. */

const check = onBothStores();
const call = (name: string) => ({ kind: 'python_fn', module: 'm', function: name });
const pass = (node: string) => [`NodeScheduled ${node}`, `NodeCompleted ${node}`];
const tool = (node: string) => [`ToolCallCompleted ${node}`, `NodeCompleted ${node}`];

const choice = {
  nodes: {
    size: {
      kind: {
        type: 'condition',
        branches: [
          { condition: 'state.total >= 100', target: 'large' },
          { condition: 'state.total >= 10', target: 'medium' },
          { target: 'small' },
        ],
      },
    },
    large: {},
    medium: {},
    small: {},
    last: {},
  },
  edges: ['large', 'medium', 'small'].map((from) => ({ from, to: 'last' })),
};

check('condition: the first branch that holds is taken, else the default', async (t, svc) => {
  const workflowId = await svc.register(choice);
  const stories = [];
  for (const [total, taken, skipped] of [
    [500, 'large', ['medium', 'small']],
    [50, 'medium', ['large', 'small']],
    [5, 'small', ['large', 'medium']],
  ] as const) {
    const id = await svc.start(workflowId, { total });
    await svc.until(id, 'completed');
    t.deepEqual(await svc.story(id), [
      'WorkflowStarted',
      ...pass('size'),
      ...pass(taken),
      ...pass('last'),
      ...skipped.map((node) => `NodeSkipped ${node}`),
      'WorkflowCompleted',
    ]);
    stories.push(masked(await svc.events(id)));
  }
  return stories;
});

check('condition: without a branch that holds the path ends there', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      ask: { type: 'branch', branches: [{ condition: 'has(state.a) && state.a', target: 'b' }] },
      b: {},
    },
    edges: [],
  });
  t.is((await svc.until(id, 'completed')).steps_executed, 1);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...pass('ask'),
    'NodeSkipped b',
    'WorkflowCompleted',
  ]);
});

check('edges: all conditional ones that hold, else the unconditional ones', async (t, svc) => {
  const workflowId = await svc.register({
    nodes: { a: {}, warm: {}, dry: {}, other: {} },
    edges: [
      { from: 'a', to: 'warm', condition: 'state.degrees > 20' },
      { from: 'a', to: 'dry', condition: 'state.rain == 0' },
      { from: 'a', to: 'other' },
    ],
  });
  const taken = async (input: { degrees: number; rain: number }) => {
    const id = await svc.start(workflowId, input);
    await svc.until(id, 'completed');
    const story = await svc.story(id);
    return story.filter((line) => line.startsWith('NodeCompleted')).map((line) => line.slice(14));
  };
  t.deepEqual(await taken({ degrees: 25, rain: 0 }), ['a', 'warm', 'dry']);
  t.deepEqual(await taken({ degrees: 5, rain: 0 }), ['a', 'dry']);
  t.deepEqual(await taken({ degrees: 5, rain: 9 }), ['a', 'other']);
});

check('edges: conditions see the output of the node just done', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: { a: call('f'), good: {}, bad: {} },
      edges: [
        { from: 'a', to: 'good', condition: 'output.score >= 0.5 && input.strict' },
        { from: 'a', to: 'bad' },
      ],
    },
    { strict: true },
  );
  await svc.work('a', { score: 0.75 });
  await svc.until(id, 'completed');
  t.deepEqual((await svc.story(id)).slice(-4), [
    ...pass('good'),
    'NodeSkipped bad',
    'WorkflowCompleted',
  ]);
});

check('a chain longer than one decision may be', async (t, svc) => {
  const names = Array.from({ length: 600 }, (_, n) => `n${n}`);
  const id = await svc.run({
    nodes: Object.fromEntries(names.map((name) => [name, {}])),
    edges: names.slice(1).map((to, index) => ({ from: names[index] ?? '', to })),
  });
  t.is((await svc.until(id, 'completed')).steps_executed, 600);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...names.flatMap(pass),
    'WorkflowCompleted',
  ]);
});

check('an expression that cannot be evaluated fails its node', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        a: {
          kind: { type: 'condition', branches: [{ condition: 'state.n + 1 > 2', target: 'b' }] },
        },
        b: {},
      },
      edges: [],
    },
    { n: 'text' },
  );
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /^node a failed: .*state\.n \+ 1 > 2/);
});

const fanOut = (merge: string) => ({
  nodes: {
    split: { kind: { type: 'parallel', branches: ['a', 'b'] } },
    a: call('f'),
    b: call('g'),
    both: {
      kind: { type: 'join', wait_for: ['a', 'b'], merge_strategy: merge },
      output_key: 'joined',
    },
  },
  edges: [],
});

check('parallel and join: every branch runs, and the outputs are collected', async (t, svc) => {
  const id = await svc.run(fanOut('collect'));
  const [a, b] = [await svc.claimOf('a'), await svc.claimOf('b')];
  t.is((await svc.complete(b, { from: 'b' }, { state_patch: { last: 'b' } })).status, 200);
  t.is((await svc.complete(a, { from: 'a' }, { state_patch: { last: 'a' } })).status, 200);
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { last: 'a', joined: { a: { from: 'a' }, b: { from: 'b' } } });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...pass('split'),
    'NodeScheduled a',
    'NodeScheduled b',
    ...tool('b'),
    ...tool('a'),
    ...pass('both'),
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('join first: the output that came first, once all have arrived', async (t, svc) => {
  const id = await svc.run(fanOut('first'));
  const [a, b] = [await svc.claimOf('a'), await svc.claimOf('b')];
  t.is((await svc.complete(b, { from: 'b' })).status, 200);
  t.is((await svc.read(id)).status, 'running');
  t.is((await svc.complete(a, { from: 'a' })).status, 200);
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { joined: { from: 'b' } });
  return masked(await svc.events(id));
});

check('a node with several in-edges waits for all that can still reach it', async (t, svc) => {
  const id = await svc.run({
    nodes: { start: {}, a: call('f'), b: call('g'), last: call('h') },
    edges: [
      { from: 'start', to: 'a' },
      { from: 'start', to: 'b' },
      { from: 'a', to: 'last' },
      { from: 'b', to: 'last' },
      { from: 'last', to: 'end' },
    ],
  });
  const [a, b] = [await svc.claimOf('a'), await svc.claimOf('b')];
  t.is((await svc.complete(a)).status, 200);
  t.deepEqual(await svc.tryClaim({ wait_ms: 200 }), { claimed: false });
  t.is((await svc.complete(b)).status, 200);
  await svc.work('last');
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

const mapOf = (more: { readonly [key: string]: string | number }) => ({
  nodes: {
    each: {
      kind: {
        type: 'map',
        items: 'input.orders',
        item_key: 'order',
        node: { ...call('ship'), retry_policy: 'no_retry', id: 'ship' },
        ...more,
      },
      output_key: 'shipped',
    },
  },
  edges: [],
});

check('map: one run for each item, their outputs in the order of the items', async (t, svc) => {
  const id = await svc.run(mapOf({}), { orders: ['x', 'y', 'z'] });
  const items = [await svc.claim(), await svc.claim(), await svc.claim()];
  t.deepEqual(
    items.map(({ node_id, payload }) => [node_id, payload['input']]),
    ['x', 'y', 'z'].map((order) => ['ship', { orders: ['x', 'y', 'z'], order }]),
  );
  for (const [index, item] of [...items.entries()].reverse()) {
    t.is((await svc.complete(item, { index })).status, 200);
  }
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state['shipped'], [{ index: 0 }, { index: 1 }, { index: 2 }]);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled each',
    'NodeScheduled ship',
    'NodeScheduled ship#1',
    'NodeScheduled ship#2',
    ...tool('ship').map((line) => `${line}#2`),
    ...tool('ship').map((line) => `${line}#1`),
    ...tool('ship'),
    'NodeCompleted each',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('map: no more items at a time than max_concurrency', async (t, svc) => {
  const id = await svc.run(mapOf({ max_concurrency: 1 }), { orders: [1, 2] });
  const first = await svc.claim();
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.is((await svc.complete(first)).status, 200);
  await svc.work('ship');
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('map: twenty workers hand in at once, and every result counts once', async (t, svc) => {
  const orders = Array.from({ length: 20 }, (_, n) => n);
  const id = await svc.run(mapOf({}), { orders });
  const { work_items: items = [] } = await svc.tryClaim({ max_items: 20 });
  t.is(items.length, 20);
  const replies = await Promise.all(
    items.map((item, index) => svc.complete(item, { index }, { state_patch: { [index]: true } })),
  );
  for (const { status } of replies) t.is(status, 200);
  const { state, steps_executed: steps } = await svc.until(id, 'completed');
  t.is(steps, 21);
  t.deepEqual(
    state['shipped'],
    orders.map((index) => ({ index })),
  );
  t.is(Object.values(state).filter((value) => value === true).length, 20);
  const story = await svc.story(id);
  t.is(story.length, 1 + 1 + 20 + 20 * 2 + 1 + 1);
  t.is(new Set(story).size, story.length);
});

check('map: an empty list completes with an empty list', async (t, svc) => {
  const id = await svc.run(mapOf({}), { orders: [] });
  t.deepEqual((await svc.until(id, 'completed')).state, { orders: [], shipped: [] });
  t.deepEqual(await svc.story(id), ['WorkflowStarted', ...pass('each'), 'WorkflowCompleted']);
});

check('map: with collect a failed item is an error among the outputs', async (t, svc) => {
  const id = await svc.run(mapOf({ on_item_failure: 'collect' }), { orders: [1, 2] });
  const [one, two] = [await svc.claim(), await svc.claim()];
  t.is((await svc.fail(one, { error: 'lost' })).status, 200);
  t.is((await svc.complete(two, { ok: true })).status, 200);
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state['shipped'], [{ error: 'lost' }, { ok: true }]);
  return masked(await svc.events(id));
});

check('map: with fail the first failed item fails the map, and ends the others', async (t, svc) => {
  const id = await svc.run(mapOf({ on_item_failure: 'fail' }), { orders: [1, 2, 3] });
  const [one, two] = [await svc.claim(), await svc.claim()];
  t.is((await svc.fail(two, { error: 'lost' })).status, 200);
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'node each failed: item 1 failed: lost');
  t.is((await svc.complete(one)).status, 409);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual((await svc.story(id)).slice(-5), [
    'NodeFailed ship#1',
    'NodeCancelled ship',
    'NodeCancelled ship#2',
    'NodeFailed each',
    'WorkflowFailed',
  ]);
  return masked(await svc.events(id));
});

check('a loop: each entry of a node is a new visit', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      count: call('next'),
      enough: {
        kind: {
          type: 'condition',
          branches: [{ condition: 'state.n < 3', target: 'count' }, { target: 'end' }],
        },
      },
    },
    edges: [{ from: 'count', to: 'enough' }],
    start_node: 'count',
  });
  const keys = new Set<string>();
  for (const n of [1, 2, 3]) {
    const { idempotency_key: key } = await svc.work('count', {}, { state_patch: { n } });
    keys.add(key);
  }
  t.is(keys.size, 3);
  const execution = await svc.until(id, 'completed');
  t.is(execution.steps_executed, 6);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...['', '#1', '#2'].flatMap((visit) => [
      `NodeScheduled count${visit}`,
      `ToolCallCompleted count${visit}`,
      `NodeCompleted count${visit}`,
      `NodeScheduled enough${visit}`,
      `NodeCompleted enough${visit}`,
    ]),
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('fail: the execution fails with the message and the class of its author', async (t, svc) => {
  const id = await svc.run(
    {
      start_node: 'pay',
      nodes: {
        pay: { ...call('f'), retry_policy: { max_attempts: 1 } },
        refuse: {
          kind: {
            type: 'fail',
            message: { expr: "'order ' + input.order + ': ' + output.error" },
            class: { expr: 'output.error_class' },
          },
        },
      },
      edges: [{ from: 'pay', to: 'refuse', on: 'failure' }],
    },
    { order: 'o1' },
  );
  await svc.fail(await svc.claim(), { error: 'no money', error_class: 'declined' });
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'order o1: no money');
  t.deepEqual((await svc.untilEvent(id, 'WorkflowFailed')).payload, {
    error: 'order o1: no money',
    error_class: 'declined',
    node_id: 'refuse',
  });
  return masked(await svc.events(id));
});

check('limit_exceeded: the execution fails with that reason', async (t, svc) => {
  const id = await svc.run({
    nodes: { start: {}, over: { kind: { type: 'limit_exceeded' } } },
    edges: [{ from: 'start', to: 'over' }],
  });
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'limit exceeded');
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    ...pass('start'),
    ...pass('over'),
    'WorkflowFailed',
  ]);
  return masked(await svc.events(id));
});
