import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import type { WorkItem } from '../../support/wire.ts';

/*
 * Additions to the worker protocol of the interface document: claims for certain tools, named
 * queues, release.
 */

const check = onBothStores();

function tool(module: string, name: string, more: Record<string, string> = {}) {
  return { kind: 'python_fn', module, function: name, ...more };
}

function toolOf(item: WorkItem): string {
  const { module, function: name } = item.payload as { module: string; function: string };
  return `${module}.${name}`;
}

/** Starts one execution per call, in this order. */
async function startEach(svc: TestTenant, calls: readonly Record<string, unknown>[]) {
  for (const [index, call] of calls.entries()) {
    const id = await svc.register({ workflow_id: `w-${index}`, nodes: { a: call } } as never);
    await svc.start(id);
  }
}

check('200: a claim for tools gets items of these alone, oldest first', async (t, svc) => {
  const names = ['book', 'charge', 'track', 'refund'];
  await startEach(
    svc,
    names.map((name, index) => tool(index % 2 === 0 ? 'shipping' : 'payment', name)),
  );
  t.deepEqual(await svc.tryClaim({ tools: ['payment.void', 'paymen?'] }), { claimed: false });
  t.is(toolOf(await svc.claim({ tools: ['payment.*'] })), 'payment.charge');
  t.is(toolOf(await svc.claim({ tools: ['*.track', 'payment.void'] })), 'shipping.track');
  const rest = await svc.tryClaim({ tools: ['payment.*', 'shipping.book'], max_items: 9 });
  t.deepEqual(rest.work_items?.map(toolOf), ['shipping.book', 'payment.refund']);
});

check('200: a tool of the workflow is claimed by what it calls', async (t, svc) => {
  await svc.run({
    tools: { pay: { kind: 'python', reference: 'bank:transfer' } },
    nodes: { a: { kind: { type: 'tool', tool_ref: 'pay' } } },
  });
  t.deepEqual(await svc.tryClaim({ tools: ['pay'] }), { claimed: false });
  const item = await svc.claim({ tools: ['bank.*'] });
  t.like(item.payload, { module: 'bank', function: 'transfer', tool_ref: 'pay' });
});

check('400: tools and queues that cannot be are refused with a reason', async (t, svc) => {
  const claim = async (body: Record<string, unknown>) => {
    const reply = await svc.post('/work-items/claim', {
      worker_id: 'w',
      queue_types: ['python_tool'],
      ...body,
    });
    t.is(reply.status, 400, JSON.stringify(body).slice(0, 80));
    return reply.body.error;
  };
  t.regex(await claim({ tools: [] }), /at least one tool/);
  t.regex(await claim({ tools: [''] }), /empty tool/);
  t.regex(await claim({ tools: ['x'.repeat(201)] }), /200 characters/);
  t.regex(await claim({ tools: Array.from({ length: 101 }, (_, n) => `t${n}`) }), /at most 100/);
  t.regex(await claim({ tools: ['a\u0007b'] }), /control characters/);
  t.regex(await claim({ tools: 'payment.*' }), /tools/);
  t.regex(await claim({ queues: ['a/b'] }), /names of queues/);
  t.regex(await claim({ queues: [] }), /at least one queue/);
});

check('200: a named queue is served by those who ask for it alone', async (t, svc) => {
  await startEach(svc, [
    tool('m', 'plain'),
    tool('m', 'train', { queue: 'gpu' }),
    tool('m', 'open', { queue: 'default' }),
  ]);
  const plain = await svc.tryClaim({ max_items: 9 });
  t.deepEqual(plain.work_items?.map(toolOf), ['m.plain', 'm.open']);
  t.false('queue' in (plain.work_item ?? {}));
  t.deepEqual(await svc.tryClaim({ queues: ['tpu'] }), { claimed: false });
  const item = await svc.claim({ queues: ['gpu', 'default'] });
  t.like(item, { queue: 'gpu', queue_type: 'python_tool' });
  t.is((await svc.fail(item)).status, 200);
  const again = await svc.claim({ queues: ['gpu'] });
  t.is(again.id, item.id, 'a retry goes back to its queue');
  const told = await svc.untilEvent(item.execution_id, 'NodeScheduled');
  t.like(told.payload, { queue_name: 'gpu' });
});

check('400: a node names a queue that cannot be', async (t, svc) => {
  const ir = { workflow_id: 'w', nodes: { a: tool('m', 'f', { queue: 'a/b' }) } };
  const reply = await svc.post<{ errors?: unknown }>('/workflows', { ir });
  t.is(reply.status, 400);
  t.regex(JSON.stringify(reply.body), /nodes\/a.*queue/);
});

check('200: a claim that waits for a tool gets it, after any other items', async (t, svc) => {
  const waiting = svc.claim({ tools: ['payment.*'], wait_ms: 15_000 });
  await startEach(svc, [tool('shipping', 'book'), tool('payment', 'charge')]);
  t.is(toolOf(await waiting), 'payment.charge');
  t.is(toolOf(await svc.claim()), 'shipping.book');
});

check('200: two workers with different tools break nothing', async (t, svc) => {
  const each = 120;
  const workflow = {
    workflow_id: 'order',
    nodes: { pay: tool('payment', 'charge'), ship: tool('shipping', 'book') },
    edges: [{ from: 'pay', to: 'ship' }],
  };
  const id = await svc.register(workflow);
  const ids = await Promise.all(Array.from({ length: each }, () => svc.start(id)));
  const serve = async (workerId: string, module: string) => {
    let done = 0;
    while (done < each) {
      const { work_items: items = [] } = await svc.tryClaim({
        worker_id: workerId,
        tools: [`${module}.*`],
        max_items: 10,
        wait_ms: 2_000,
      });
      await Promise.all(
        items.map(async (item) => {
          // A worker fails an item whose tool it lacks.
          const isMine = toolOf(item).startsWith(`${module}.`);
          expectStatus(isMine ? await svc.complete(item) : await svc.fail(item), 200);
        }),
      );
      done += items.length;
    }
  };
  await Promise.all([serve('python-1', 'payment'), serve('node-1', 'shipping')]);
  for (const execution of ids) {
    await svc.until(execution, 'completed');
    t.false((await svc.story(execution)).some((told) => told.startsWith('NodeFailed')));
  }
});

check('200: workers say what they serve', async (t, svc) => {
  const base = { queue_types: ['python_tool'] };
  await svc.tryClaim({ ...base, worker_id: 'all' });
  await svc.tryClaim({ ...base, worker_id: 'gpu', tools: ['m.*'], queues: ['gpu'] });
  const workers = await eventually(async () => {
    const { body } = await svc.get<{ workers: readonly Record<string, unknown>[] }>('/workers');
    const tools = body.workers.filter(({ kind }) => kind === 'tool');
    if (tools.length === 2) return tools;
    throw new Error(`${tools.length} workers are seen`);
  });
  t.like(workers[0], { worker_id: 'all', tools: null, queues: ['default'] });
  t.like(workers[1], { worker_id: 'gpu', tools: ['m.*'], queues: ['gpu'] });
  await eventually(async () => {
    await svc.tryClaim({ ...base, worker_id: 'gpu', tools: ['n.*'], queues: ['gpu'] });
    const { body } = await svc.get<{ workers: readonly Record<string, unknown>[] }>('/workers');
    const tools = body.workers.find(({ worker_id: id }) => id === 'gpu')?.['tools'] as string[];
    if (!tools.includes('n.*')) throw new Error(`it claims ${tools.join()}`);
  });
});

check('200: a released item uses no attempt and keeps its place', async (t, svc) => {
  await startEach(svc, [tool('m', 'first'), tool('m', 'second')]);
  const item = await svc.claim();
  const path = `/work-items/${item.id}/release`;
  const before = await svc.events(item.execution_id);
  for (const answer of ['released', 'released again, as the first answer was lost']) {
    const reply = await svc.post(path, { lease_fence: item.lease_fence });
    t.is(reply.status, 200, answer);
    t.deepEqual(reply.body as unknown, { released: true, work_item_id: item.id });
  }
  t.is(toolOf(await svc.claim()), 'm.second', 'not handed out again at once');
  await startEach(svc, [tool('m', 'third')]);
  const again = await eventually(async () => {
    const { work_items: items = [] } = await svc.tryClaim({ max_items: 1, tools: ['m.first'] });
    if (items[0] === undefined) throw new Error('it rests');
    return items[0];
  });
  t.is(again.id, item.id);
  t.is(again.attempt, item.attempt);
  t.true(again.lease_fence > item.lease_fence);
  t.deepEqual(await svc.events(item.execution_id), before, 'it leaves no event');

  const stale = await svc.post<Record<string, unknown>>(path, { lease_fence: item.lease_fence });
  t.is(stale.status, 409);
  t.like(stale.body, { released: false });
  t.regex(String(stale.body['reason']), /stale lease_fence/);
  t.is((await svc.complete(again)).status, 200);
  const late = await svc.post<Record<string, unknown>>(path, { lease_fence: again.lease_fence });
  t.is(late.status, 409);
  t.is(late.body['reason'], 'already settled');
  t.is((await svc.post(path, {})).status, 400);
  t.is((await svc.post('/work-items/nothing/release', { lease_fence: 1 })).status, 404);
});

check(
  '200: an item that is released while its execution is paused waits for the resume',
  async (t, svc) => {
    await startEach(svc, [tool('m', 'f')]);
    const item = await svc.claim();
    expectStatus(await svc.post(`/executions/${item.execution_id}/pause`, {}), 200);
    expectStatus(
      await svc.post(`/work-items/${item.id}/release`, { lease_fence: item.lease_fence }),
      200,
    );
    t.deepEqual(await svc.tryClaim({ wait_ms: 2_500 }), { claimed: false });
    expectStatus(await svc.post(`/executions/${item.execution_id}/resume`, {}), 200);
    const again = await svc.claim();
    t.is(again.id, item.id);
    t.is(again.attempt, 0);
    t.is((await svc.complete(again)).status, 200);
    await svc.until(item.execution_id, 'completed');
  },
);
