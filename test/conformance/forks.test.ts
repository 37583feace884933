import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { claimTurn, FUNCTION, plain, record, step } from '../support/functions.ts';
import type { TestTenant } from '../support/tenant.ts';

/* Additions: executions that carry another one up to a point, over HTTP. */

const check = onBothStores();
const call = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: { max_attempts: 1 },
};
const CHAIN = {
  nodes: { a: { ...call, output_key: 'a' }, b: { ...call, output_key: 'b' }, c: call },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

interface Forked {
  readonly execution_id: string;
  readonly forked_from: string;
  readonly sequence: number;
  readonly node_id: string | null;
}

const ask = (svc: TestTenant, id: string, body: JsonObject, headers?: Record<string, string>) =>
  svc.post<Forked>(`/executions/${id}/fork`, body, headers);

async function runChain(svc: TestTenant): Promise<string> {
  const id = await svc.run(CHAIN, { order: 1 });
  await svc.work('a', { made: 'a' });
  await svc.work('b', { made: 'b' });
  await svc.work('c');
  await svc.until(id, 'completed');
  return id;
}

check('201: a fork at a node runs it again with what was recorded before', async (t, svc) => {
  const id = await runChain(svc);
  const before = await svc.events(id);
  const { status, body } = await ask(svc, id, { at: 'b', patch: { note: 'again' } });
  t.is(status, 201);
  const scheduled = before.findIndex(
    ({ kind, node_id: node }) => kind === 'NodeScheduled' && node === 'b',
  );
  t.like(body, { forked_from: id, node_id: 'b', sequence: scheduled });
  const item = await svc.work('b', { made: 'other' });
  await svc.work('c');
  const done = await svc.until(body.execution_id, 'completed');
  t.deepEqual(done.state, { order: 1, a: { made: 'a' }, note: 'again', b: { made: 'other' } });
  t.like(await svc.read(body.execution_id), {
    forked_from: { execution_id: id, sequence: scheduled, node_id: 'b' },
    retried_from: null,
  });
  // A new call for the outside.
  const [first] = before.flatMap(({ kind, node_id: node, payload }) =>
    kind === 'NodeScheduled' && node === 'b' ? [payload['idempotency_key']] : [],
  );
  t.not(item.idempotency_key, first);
  t.deepEqual(await svc.events(id), before, 'the original is as it was');
  t.deepEqual(await svc.story(body.execution_id), [
    'WorkflowStarted',
    ...['b', 'c'].flatMap((node) => [
      `NodeScheduled ${node}`,
      `ToolCallCompleted ${node}`,
      `NodeCompleted ${node}`,
    ]),
    'WorkflowCompleted',
  ]);
});

check('201: a fork after an event begins again what was in progress there', async (t, svc) => {
  const id = await svc.run(CHAIN, { order: 1 });
  await svc.work('a', { made: 'a' });
  const item = await svc.claim();
  // The original is running.
  const { sequence } = (await svc.events(id)).at(-1) ?? { sequence: 0 };
  const { body } = await ask(svc, id, { at: sequence });
  t.like(body, { node_id: null, sequence });
  const again = await svc.claim();
  t.like(again, { node_id: 'b', execution_id: body.execution_id });
  await svc.complete(again);
  await svc.complete(item);
  await svc.work('c');
  await svc.work('c');
  await svc.until(id, 'completed');
  await svc.until(body.execution_id, 'completed');

  const whole = await ask(svc, id, { at: 1 });
  await svc.work('a');
  await svc.work('b');
  await svc.work('c');
  t.deepEqual((await svc.until(whole.body.execution_id, 'completed')).state['order'], 1);
});

check('200: a dry run tells what a fork keeps and runs, and starts nothing', async (t, svc) => {
  const id = await runChain(svc);
  const { status, body } = await ask(svc, id, { at: 'b', dry_run: true });
  t.is(status, 200);
  t.like(body, {
    forked_from: id,
    node_id: 'b',
    begins: ['b'],
    kept: [{ node_id: 'a', visits: 1 }],
    left: [
      { node_id: 'b', visits: 1 },
      { node_id: 'c', visits: 1 },
    ],
    maps: [],
    approvals: [],
    waiting_events: 0,
    undone: [],
  });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual((await svc.get(`/executions/${id}/forks`)).body, { forks: [], next_cursor: null });
});

check('200: a dry run names the kept steps that the original has undone', async (t, svc) => {
  const id = await svc.run({
    ...CHAIN,
    nodes: { a: { ...call, undo: call }, b: call, c: call },
  });
  await svc.work('a');
  await svc.work('b');
  await svc.breakDown('c');
  const ofC = () => ask(svc, id, { at: 'c', dry_run: true });
  t.like((await ofC()).body, { undone: [] }, 'its undo has not run');
  await svc.work('a.undo');
  await svc.until(id, 'failed');
  t.like((await ofC()).body, { undone: [{ node_id: 'a', visit: 0 }] });
  t.like((await ask(svc, id, { at: 'a', dry_run: true })).body, { undone: [] });
});

check('200: the forks of an execution are listed, and each names its original', async (t, svc) => {
  const id = await runChain(svc);
  const key = { 'Idempotency-Key': 'fork-1' };
  const first = (await ask(svc, id, { at: 'c' }, key)).body.execution_id;
  t.is((await ask(svc, id, { at: 'c' }, key)).body.execution_id, first, 'the same request');
  t.is((await ask(svc, id, { at: 'b' }, key)).status, 409, 'another request');
  const second = (await ask(svc, id, { at: 'b' })).body.execution_id;
  const list = await svc.get<{
    readonly forks: readonly JsonObject[];
    readonly next_cursor: string | null;
  }>(`/executions/${id}/forks`);
  t.deepEqual(
    list.body.forks.map(({ execution_id: fork, node_id: node, status }) => [fork, node, status]),
    [
      [second, 'b', 'running'],
      [first, 'c', 'running'],
    ],
  );
  const page = await svc.get<typeof list.body>(`/executions/${id}/forks?limit=1`);
  t.is(page.body.forks[0]?.['execution_id'], second);
  const next = page.body.next_cursor ?? '';
  const after = await svc.get<typeof list.body>(`/executions/${id}/forks?limit=9&cursor=${next}`);
  t.is(after.body.forks.at(-1)?.['execution_id'], first);
  t.deepEqual((await svc.get<typeof list.body>(`/executions/${second}/forks`)).body.forks, []);
});

check('201: the failed items of a map alone run again', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        each: {
          kind: {
            type: 'map',
            items: 'state.orders',
            item_key: 'order',
            node: 'ship',
            on_item_failure: 'collect',
          },
          output_key: 'shipped',
        },
        ship: call,
      },
      start_node: 'each',
      edges: [],
    },
    { orders: ['x', 'y', 'z'] },
  );
  const items = [await svc.claim(), await svc.claim(), await svc.claim()];
  for (const item of items) {
    const { order } = item.payload['input'] as { order: string };
    if (order === 'y') await svc.fail(item, { error: 'lost' });
    else await svc.complete(item, { order });
  }
  await svc.until(id, 'completed');
  const preview = await ask(svc, id, { at: 'each', items: 'failed', dry_run: true });
  t.like(preview.body, { begins: ['each'], maps: [{ node_id: 'each', kept_items: 2 }] });
  const { body } = await ask(svc, id, { at: 'each', items: 'failed' });
  const again = await svc.claim();
  t.like(again.payload['input'], { order: 'y' });
  await svc.complete(again, { order: 'y' });
  const done = await svc.until(body.execution_id, 'completed');
  t.deepEqual(done.state['shipped'], [{ order: 'x' }, { order: 'y' }, { order: 'z' }]);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
});

check('201: a repeated request tells the point of its fork, not a later one', async (t, svc) => {
  const each = { kind: { type: 'map', items: 'state.orders', node: 'ship' } };
  const ir = { start_node: 'each', nodes: { each, ship: call }, edges: [] };
  const id = await svc.run(ir, { orders: ['x', 'y', 'z'] });
  const fork = () =>
    ask(svc, id, { at: 'each', items: 'failed' }, { 'Idempotency-Key': 'while it runs' });
  const items = [await svc.claim(), await svc.claim()];
  for (const item of items.slice(0, 1)) await svc.complete(item);
  const { body } = await fork();
  for (const item of items.slice(1)) await svc.complete(item);
  t.deepEqual((await fork()).body, body);
  t.like(await svc.read(body.execution_id), { forked_from: { sequence: body.sequence } });
});

check('201: an approval stays valid in a fork while the call is the same', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        a: { ...call, output_key: 'a' },
        pay: {
          kind: { type: 'python_fn', module: 'bank', function: 'pay' },
          input_mapping: { amount: 'state.amount' },
        },
      },
      edges: [{ from: 'a', to: 'pay' }],
      policy: { require_approval_for: ['bank.*'] },
    },
    { amount: 5 },
  );
  await svc.work('a');
  await svc.until(id, 'paused');
  await svc.approve(id, { decision: 'approved', user_id: 'ann' });
  await svc.work('pay');
  await svc.until(id, 'completed');
  const same = await ask(svc, id, { at: 'a' });
  await svc.work('a');
  await svc.work('pay');
  await svc.until(same.body.execution_id, 'completed');
  t.false((await svc.story(same.body.execution_id)).some((told) => told.includes('Approval')));
  const other = await ask(svc, id, { at: 'a', patch: { amount: 6 } });
  await svc.work('a');
  await svc.until(other.body.execution_id, 'paused');
});

check(
  '400: a node that a fork carries is refused with the execution that began it',
  async (t, svc) => {
    const id = await runChain(svc);
    const fork = (await ask(svc, id, { at: 'b' })).body.execution_id;
    await svc.work('b');
    await svc.work('c');
    await svc.until(fork, 'completed');
    const { status, body } = await svc.post<{ error: string }>(`/executions/${fork}/fork`, {
      at: 'a',
    });
    t.is(status, 400);
    t.regex(body.error, new RegExp(`has not begun a; it has begun c, b. .*${id}: fork that one$`));
  },
);

check('400: a point that the history does not have', async (t, svc) => {
  const id = await runChain(svc);
  const { length } = await svc.events(id);
  const errorOf = async (body: JsonObject) => {
    const reply = await svc.post<{ error: string }>(`/executions/${id}/fork`, body);
    t.is(reply.status, 400, JSON.stringify(body));
    return reply.body.error;
  };
  t.regex(await errorOf({ at: 'd' }), /has not begun d; it has begun c, b, a$/);
  t.regex(await errorOf({ at: 'b', visit: 1 }), /has not begun visit 1 of b; its last visit is 0$/);
  t.is(await errorOf({ at: 0 }), 'bad request: at must be at least 1');
  t.is(await errorOf({ at: true }), 'bad request: at must be a number or a string');
  t.regex(await errorOf({ at: 'b', items: 'failed' }), /b is not a map/);
  t.regex(await errorOf({ at: length + 1 }), new RegExp(`has events up to ${length}`));
  t.regex(await errorOf({ at: length }), /nothing was left to run/);
  t.regex(await errorOf({ at: 1, visit: 0 }), /`at` must be a node id/);
  for (const body of [{}, { at: 0 }, { at: 1.5 }, { at: 'b', patch: [] }]) await errorOf(body);
  t.is(
    (await svc.post('/executions/exec_0198c0de00007000a000000000000009/fork', { at: 1 })).status,
    404,
  );
  t.is((await svc.get('/executions/exec_0198c0de00007000a000000000000009/forks')).status, 404);
});

check('201: a fork runs on the definition registered last if asked to', async (t, svc) => {
  const id = await runChain(svc);
  const { workflow_id: workflowId } = await svc.read(id);
  const { nodes, edges } = CHAIN;
  const { c: _, ...kept } = nodes;
  await svc.post('/workflows', {
    ir: {
      workflow_id: workflowId,
      nodes: { ...kept, d: call },
      edges: [edges[0], { from: 'b', to: 'd' }],
    },
  });
  t.is((await ask(svc, id, { at: 'c', revision: 'latest' })).status, 400);
  const { body } = await ask(svc, id, { at: 'b', revision: 'latest' });
  await svc.work('b');
  await svc.work('d');
  await svc.until(body.execution_id, 'completed');
});

check('201: a fork at a step of a durable function keeps the steps up to it', async (t, svc) => {
  const id = await svc.run({ nodes: { order: FUNCTION }, edges: [] });
  const turn = await claimTurn(svc);
  await record(svc, turn, [step('reserve', 1)]);
  await record(svc, turn, [step('charge', 2)], { expected_length: turn.journal.length + 1 });
  const before = await svc.events(id);
  const [first, second] = before.filter(({ kind }) => kind === 'StepRecorded');
  t.truthy(second);
  const { body } = await ask(svc, id, { at: first?.sequence ?? 0 });
  const again = await claimTurn(svc);
  t.is(again.execution_id, body.execution_id);
  t.deepEqual(plain(again.journal), plain({ entries: [step('reserve', 1)] }));
  const whole = await ask(svc, id, { at: 'order' });
  const fresh = await claimTurn(svc);
  t.is(fresh.execution_id, whole.body.execution_id);
  t.deepEqual(fresh.journal.entries, []);
  t.deepEqual(await svc.events(id), before);
  // The original is still with its worker, and continues.
  for (const item of [turn, again, fresh]) await svc.complete(item);
  for (const one of [id, body.execution_id, whole.body.execution_id]) {
    await svc.until(one, 'completed');
  }
});

check('429: a fork counts against the limits of its tenant', async (t, svc) => {
  const id = await svc.run(CHAIN);
  const limited = await svc.send({
    method: 'PUT',
    path: `/tenants/${svc.tenantId}`,
    body: { limits: { max_concurrent_executions: 1 } },
  });
  t.is(limited.status, 200);
  t.is((await ask(svc, id, { at: 'a' })).status, 429);
  t.deepEqual((await svc.get(`/executions/${id}/forks`)).body, { forks: [], next_cursor: null });
});
