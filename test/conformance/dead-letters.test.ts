import { onBothStores } from '../support/both-stores.ts';
import { statusesOf } from '../support/http.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { masked } from '../support/told.ts';
import type { DeadLetter } from '../support/wire.ts';

/* Items whose attempts are exhausted, and items settled without a fence. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const once = { ...call, retry_policy: 'no_retry' };

check('200: failing is retried while attempts are left, then dead-lettered', async (t, svc) => {
  const retry_policy = { max_attempts: 2, initial_delay: 0 };
  const id = await svc.run({
    nodes: { a: { ...call, retry_policy, fallback_node: 'b' }, b: {} },
    start_node: 'a',
  });
  const item = await svc.claim();
  const first = await svc.fail(item, { error: 'one' });
  t.deepEqual(first.body, { failed: true, work_item_id: item.id, retryable: true, attempt: 0 });
  const last = await svc.fail(await svc.claim(), { error: 'two' });
  t.deepEqual(last.body, { failed: true, work_item_id: item.id, retryable: false, attempt: 1 });
  await svc.until(id, 'completed');
  const [letter] = await deadLetters(svc);
  const { dead_lettered_at: at, ...rest } = letter as DeadLetter;
  t.regex(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(rest, {
    id: item.id,
    execution_id: id,
    node_id: 'a',
    queue_type: 'python_tool',
    status: 'dead_lettered',
    tool: 'm.f',
    attempt: 1,
    error: 'two',
    handled: true,
    undoes: null,
  });
  return masked(await svc.events(id));
});

check('200: dead letters are listed newest first, and paged', async (t, svc, { runtime }) => {
  const items = [];
  for (const error of ['one', 'two', 'three']) {
    const id = await svc.run({ nodes: { a: once } });
    const item = await svc.claim();
    items.unshift(item);
    expectStatus(await svc.fail(item, { error }), 200);
    await svc.until(id, 'failed');
  }
  const all = await deadLetters(svc);
  t.deepEqual(
    all.map(({ id }) => id),
    items.map(({ id }) => id),
  );
  t.deepEqual(await deadLetters(svc, '&limit=2'), all.slice(0, 2));
  const before = encodeURIComponent(all[1]?.dead_lettered_at ?? '');
  t.deepEqual(await deadLetters(svc, `&before=${before}`), all.slice(2));
  t.deepEqual(await deadLetters(await runtime.newTenant()), []);
});

check('400: a list of items that are not dead-lettered, or of nonsense', async (t, svc) => {
  for (const query of ['', '?status=queued', '?status=dead_lettered&limit=0', '?status=']) {
    t.is((await svc.get(`/work-items${query}`)).status, 400, query);
  }
});

check('200: an item settled without a fence can be requeued, with new attempts', async (t, svc) => {
  const id = await svc.run({ nodes: { a: { ...call, retry_policy: { initial_delay: 0 } } } });
  await svc.breakDown('a');
  const item = await svc.claimOf('a');
  t.is(item.attempt, 1);
  expectStatus(await svc.fail(item, { lease_fence: null, error: 'lost' }), 200);
  t.like((await deadLetters(svc))[0], { id: item.id, attempt: 1, error: 'lost' });

  const requeue = () => svc.post(`/work-items/${item.id}/requeue`);
  const answers = await Promise.all(Array.from({ length: 20 }, requeue));
  t.deepEqual(statusesOf(answers), [200, ...Array.from({ length: 19 }, () => 409)]);
  t.deepEqual(await deadLetters(svc), []);

  const again = await svc.work('a');
  t.is(again.id, item.id);
  t.is(again.attempt, 0);
  t.is(again.idempotency_key, item.idempotency_key);
  await svc.until(id, 'completed');
  t.is((await requeue()).status, 409);
  return masked(await svc.events(id));
});

check('409: an item that is queued, leased or done is not requeued', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  const requeue = () => svc.post(`/work-items/${item.id}/requeue`);
  const leased = await requeue();
  t.is(leased.status, 409);
  t.is(leased.body.error, `conflict: work item ${item.id} is not dead-lettered`);
  expectStatus(await svc.complete(item), 200);
  await svc.until(id, 'completed');
  t.is((await requeue()).status, 409);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
});

check('409: an item of an ended execution is not requeued', async (t, svc) => {
  const id = await svc.run({ nodes: { a: once } });
  const item = await svc.claim();
  expectStatus(await svc.fail(item), 200);
  await svc.until(id, 'failed');
  const reply = await svc.post(`/work-items/${item.id}/requeue`);
  t.is(reply.status, 409);
  t.regex(reply.body.error, /has ended/);
  t.is((await deadLetters(svc)).length, 1);
});

check('409: a node that failed permanently is not brought back', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: { ...once, fallback_node: 'ask' }, ask: { kind: 'human_approval' } },
    start_node: 'a',
  });
  const item = await svc.claim();
  expectStatus(await svc.fail(item), 200);
  await svc.until(id, 'paused');
  const reply = await svc.post(`/work-items/${item.id}/requeue`);
  t.is(reply.status, 409);
  t.regex(reply.body.error, /no longer waits/);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  await svc.approve(id, { decision: 'approved' });
  await svc.until(id, 'completed');
});

check('200: a completion without a fence or key is run again when requeued', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  const unproved = { lease_fence: null, idempotency_key: null };
  expectStatus(await svc.complete(item, { n: 1 }, unproved), 200);
  t.regex((await deadLetters(svc))[0]?.error ?? '', /without lease_fence/);
  t.is((await svc.post(`/work-items/${item.id}/requeue`)).status, 200);
  await svc.work('a', { n: 2 });
  await svc.until(id, 'completed');
  const events = await svc.events(id);
  t.deepEqual(events[3]?.payload['output'], { n: 2 });
});

check(
  '200: a dead letter is read with its input, its failures and what can be done',
  async (t, svc) => {
    const retry_policy = { max_attempts: 2, initial_delay: 0 };
    const id = await svc.run({ nodes: { a: { ...call, retry_policy } } }, { sku: 'x' });
    await svc.breakDown('a', { error: 'out of stock' });
    const item = await svc.claimOf('a');
    expectStatus(await svc.fail(item, { lease_fence: null, error: 'lost' }), 200);
    const [listed] = await deadLetters(svc);
    const { failures, ...read } = await readLetter(svc, item.id);
    t.deepEqual(read, {
      ...listed,
      workflow_id: 'w',
      execution_status: 'running',
      visit: 0,
      max_attempts: 2,
      input: { sku: 'x' },
      omitted: [],
      actions: { requeue: POSSIBLE, give_up: POSSIBLE },
    });
    t.like(failures, [{ attempt: 0, error: 'out of stock', worker_id: 'worker-1' }]);
    t.is(failures.length, 1);
    expectStatus(await svc.post(`/executions/${id}/pause`), 200);
    t.like((await readLetter(svc, item.id)).actions, {
      requeue: {
        allowed: false,
        reason: `execution ${id} is paused; resume it, then requeue the item`,
      },
      give_up: POSSIBLE,
    });
    expectStatus(await svc.cancel(id), 200);
    const { actions } = await readLetter(svc, item.id);
    t.false(actions.requeue.allowed);
    t.regex(actions.requeue.reason ?? '', /has ended/);
    t.deepEqual(actions.give_up, { allowed: false, reason: `execution ${id} has ended` });
    return masked(await svc.events(id));
  },
);

check('200: the input of a dead letter is seen as data policies let it be seen', async (t, svc) => {
  for (const [data_policy, seen] of [
    [{ pii_fields: ['ssn'] }, { input: { ssn: '***', n: 1 }, omitted: [] }],
    [{ retain_outputs: false }, { input: null, omitted: ['input'] }],
  ] as const) {
    const id = await svc.run({ nodes: { a: once }, data_policy }, { ssn: '1', n: 1 });
    const item = await svc.claim();
    expectStatus(await svc.fail(item, { error: 'no' }), 200);
    await svc.until(id, 'failed');
    const { input, omitted, error } = await readLetter(svc, item.id);
    t.deepEqual({ input, omitted }, seen);
    t.is(error, 'no');
  }
});

check('404: an item that is no dead letter says what it is', async (t, svc, { runtime }) => {
  const id = await svc.run({ nodes: { a: { ...call, retry_policy: { initial_delay: 0 } } } });
  const item = await svc.claim();
  const read = async (by = svc) => {
    const reply = await by.get<{ error: string }>(`/work-items/${item.id}`);
    t.is(reply.status, 404);
    return reply.body.error;
  };
  const isNone = `not found: work item ${item.id} is not a dead letter: `;
  const more = `; GET /executions/${id}/explain says more`;
  t.is(await read(), `${isNone}a worker has it${more}`);
  expectStatus(await svc.fail(item, { lease_fence: null, error: 'lost' }), 200);
  t.is(await read(await runtime.newTenant()), `not found: work item ${item.id}`);
  expectStatus(await svc.post(`/work-items/${item.id}/requeue`), 200);
  t.is(await read(), `${isNone}it is on its queue${more}`);
  await svc.work('a');
  t.is(await read(), `${isNone}it is settled${more}`);
});

const POSSIBLE = { allowed: true, reason: null };

interface ReadLetter extends DeadLetter {
  readonly input: unknown;
  readonly omitted: readonly string[];
  readonly failures: readonly object[];
  readonly actions: Record<'requeue' | 'give_up', { allowed: boolean; reason: string | null }>;
}

async function readLetter(svc: TestTenant, id: string): Promise<ReadLetter> {
  return expectStatus(await svc.get<ReadLetter>(`/work-items/${id}`), 200);
}

async function deadLetters(svc: TestTenant, query = ''): Promise<readonly DeadLetter[]> {
  const path = `/work-items?status=dead_lettered${query}`;
  return expectStatus(await svc.get<{ work_items: DeadLetter[] }>(path), 200).work_items;
}
