import { defineFunction, defineTool } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/* Calls that a worker sends together; see `POST /work-items/report`. */

const check = onBothStores();

const tool = (name: string) => ({ kind: 'python_fn', module: 'm', function: name });
const CHAIN = {
  nodes: { a: tool('f'), b: tool('g'), c: tool('f') },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

interface Sent {
  readonly path: string;
  readonly body: {
    readonly max_items?: number;
    readonly wait_ms?: number;
    readonly reports?: readonly { readonly kind: string }[];
  };
}

/**
 * Records each request about work items and forwards it as `change` returns it. Null simulates a
 * runtime without the endpoint.
 */
function noting(change: (one: Sent) => Sent | null = (one) => one) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (input, init) => {
    const { pathname: path } = new URL(input instanceof Request ? input.url : input);
    if (!path.startsWith('/work-items/') || typeof init?.body !== 'string') {
      return fetch(input, init);
    }
    const one = { path, body: JSON.parse(init.body) as Sent['body'] };
    sent.push(one);
    const changed = change(one);
    if (changed === null) return Response.json({ error: 'not found' }, { status: 404 });
    return fetch(input, { ...init, body: JSON.stringify(changed.body) });
  };
  const reported = () => sent.flatMap(({ body }) => body.reports ?? []).map(({ kind }) => kind);
  return { sent, send, reported };
}

check('each step of a chain is one request', async (t, tenant, place) => {
  const { sent, send, reported } = noting();
  const tools = [defineTool('m.f', () => ({})), defineTool('m.g', () => ({}))];
  const options = { tools, concurrency: 1, fetch: send };
  const { worker } = startWorker(t, { tenant, place, options });
  const id = await tenant.run(CHAIN);
  await tenant.until(id, 'completed');
  await worker.stop();
  t.deepEqual(reported(), ['complete', 'complete', 'complete']);
  t.true(sent.every(({ path }) => path === '/work-items/claim'));
  const carrying = sent.filter(({ body }) => body.reports !== undefined);
  t.deepEqual(
    carrying.map(({ body }) => [body.max_items, body.wait_ms]),
    [
      [1, 0],
      [1, 0],
      [1, 0],
    ],
  );
});

check('results that travel with a claim keep their own labels', async (t, tenant, place) => {
  const { sent, send } = noting();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let under = 0;
  const labelling = defineTool<{ readonly n: number }>('m.f', async ({ n }, { setLabels }) => {
    setLabels({ number: `${n}` });
    under += 1;
    if (under === 3) resolve();
    await begun;
    return {};
  });
  const workflowId = await tenant.register({ nodes: { a: tool('f') } });
  const ids: string[] = [];
  for (const n of [1, 2, 3]) ids.push(await tenant.start(workflowId, { n }));
  startWorker(t, { tenant, place, options: { tools: [labelling], concurrency: 3, fetch: send } });
  const ended = await Promise.all(ids.map((id) => tenant.until(id, 'completed')));
  t.deepEqual(
    ended.map(({ labels }) => labels),
    [{ number: '1' }, { number: '2' }, { number: '3' }],
  );
  const [settling] = sent.filter(({ body }) => body.reports !== undefined);
  t.is(settling?.path, '/work-items/claim');
  t.is(settling?.body.reports?.length, 3);
});

check('items that end at the same moment are reported together', async (t, tenant, place) => {
  const { sent, send } = noting();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let under = 0;
  let most = 0;
  const together = defineTool('m.f', async () => {
    under += 1;
    most = Math.max(most, under);
    if (under === 3) resolve();
    await begun;
    under -= 1;
    return {};
  });
  const workflowId = await tenant.register({ nodes: { a: tool('f') } });
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) ids.push(await tenant.start(workflowId));
  const options = { tools: [together], concurrency: 3, fetch: send };
  startWorker(t, { tenant, place, options });
  for (const id of ids) await tenant.until(id, 'completed');
  t.is(most, 3);
  const [first] = sent.filter(({ body }) => body.reports !== undefined);
  t.is(first?.body.reports?.length, 3);
  t.is(first?.body.max_items, 3);
});

check('a runtime that knows no reports gets each call alone', async (t, tenant, place) => {
  const { sent, send } = noting(({ path, body: { reports: _, ...body } }) =>
    path === '/work-items/report' ? null : { path, body },
  );
  const order = defineFunction('order', async (ctx) => {
    await ctx.all(['a', 'b', 'c'].map((name) => ctx.step(name, () => name)));
    return {};
  });
  const tools = [defineTool('m.f', () => ({})), defineTool('m.g', () => ({}))];
  startWorker(t, { tenant, place, options: { tools, functions: [order], fetch: send } });
  await tenant.until(await tenant.run(CHAIN), 'completed');
  const ids = [await startFunction(tenant, order, {}), await startFunction(tenant, order, {})];
  for (const id of ids) await tenant.until(id, 'completed');
  const alone = sent.map(({ path }) => path.split('/').at(-1));
  t.is(alone.filter((verb) => verb === 'complete').length, 5);
  t.true(alone.includes('steps'));
});

check('reports of more than a request takes travel in several', async (t, tenant, place) => {
  const { sent, send } = noting();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let under = 0;
  const large = defineTool('m.f', async () => {
    under += 1;
    if (under === 3) resolve();
    await begun;
    return { text: 'x'.repeat(200_000) };
  });
  const workflowId = await tenant.register({ nodes: { a: tool('f') } });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push(await tenant.start(workflowId));
  startWorker(t, { tenant, place, options: { tools: [large], concurrency: 3, fetch: send } });
  for (const id of ids) await tenant.until(id, 'completed');
  const counts = sent.flatMap(({ body }) => body.reports?.length ?? []);
  t.deepEqual(counts, [1, 1, 1]);
});

check('a place is claimed once, and only if the item ends', async (t, tenant, place) => {
  const { sent, send } = noting();
  const order = defineFunction('order', async (ctx) => {
    await ctx.waitForEvent('paid');
    return {};
  });
  const refused = defineTool('m.f', () => ({ n: 2 ** 60 }));
  const options = { tools: [refused], functions: [order], concurrency: 1, fetch: send };
  const once = { ...tool('f'), retry_policy: 'no_retry' };
  const failing = await tenant.run({ nodes: { a: once } });
  startWorker(t, { tenant, place, options });
  await tenant.until(failing, 'failed');
  const id = await startFunction(tenant, order, {});
  await tenant.deliver(id, 'paid');
  await tenant.until(id, 'completed');
  const claiming = sent.filter(({ path }) => path === '/work-items/claim');
  const kinds = claiming.flatMap(({ body }) => body.reports ?? []).map(({ kind }) => kind);
  t.deepEqual(kinds, ['complete', 'complete']);
  const alone = sent.map(({ path }) => path.split('/').at(-1));
  t.true(alone.includes('fail'));
  t.true(alone.includes('suspend'));
});
