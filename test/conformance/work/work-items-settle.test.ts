import { onBothStores } from '../../support/both-stores.ts';
import { statusesOf } from '../../support/http.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { masked } from '../../support/told.ts';
import type { WorkItem } from '../../support/wire.ts';

/* Interface document: "Work items (worker protocol)"; every rule of settling. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const one = { nodes: { a: call }, edges: [] };
const UNKNOWN_ITEM = '01930000-0000-7000-8000-000000000000';

/** A claimed item of a new execution, and a check that nothing has changed since. */
async function claimed(svc: TestTenant, ir: Parameters<TestTenant['register']>[0] = one) {
  const id = await svc.run(ir);
  const item = await svc.claim();
  const seen = async () => [(await svc.read(id)).updated_at, await svc.events(id)];
  const before = await seen();
  return { id, item, changed: async () => JSON.stringify(await seen()) !== JSON.stringify(before) };
}

check('200: completing settles, records and moves the execution on', async (t, svc) => {
  const { id, item } = await claimed(svc);
  const reply = await svc.complete(item, { ok: true }, { gen_ai_model: 'm-1' });
  t.is(reply.status, 200);
  t.deepEqual(reply.body, { completed: true, work_item_id: item.id });
  t.is(reply.headers.get('Deprecation'), null);
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('rule 1: without a fence the item is settled, and no event is emitted', async (t, svc) => {
  const { id, item, changed } = await claimed(svc);
  const reply = await svc.complete(item, { ok: true }, { lease_fence: null });
  t.is(reply.status, 200);
  t.deepEqual(reply.body, { completed: true, work_item_id: item.id });
  t.is(reply.headers.get('Deprecation'), '@0');
  t.false(await changed());
  t.like(await svc.read(id), { status: 'running', steps_executed: 0 });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.is((await svc.complete(item)).status, 409);
  t.is((await svc.fail(item)).status, 409);
  t.false(await changed());
});

check('rule 2: without a key nothing is recorded, and the re-run calls again', async (t, svc) => {
  const { item } = await claimed(svc);
  const unkeyed = { lease_fence: null, idempotency_key: null };
  const reply = await svc.complete(item, { n: 1 }, unkeyed);
  t.is(reply.status, 200);
  t.is(reply.headers.get('Deprecation'), '@0');
  t.is((await svc.post(`/work-items/${item.id}/requeue`)).status, 200);
  const again = await svc.claimOf('a');
  t.is(again.id, item.id);
  t.is(again.idempotency_key, item.idempotency_key);
});

check('rule 2: with a fence, leaving out the key is deprecated but works', async (t, svc) => {
  const { id, item } = await claimed(svc);
  const reply = await svc.complete(item, { n: 1 }, { idempotency_key: null });
  t.is(reply.status, 200);
  t.is(reply.headers.get('Deprecation'), '@0');
  await svc.until(id, 'completed');
});

check('rule 3: 409, a stale or invented fence writes nothing', async (t, svc) => {
  const { id, item, changed } = await claimed(svc);
  for (const fence of [
    item.lease_fence - 1,
    item.lease_fence + 1,
    1,
    Number.MAX_SAFE_INTEGER,
    1e300,
  ].filter((fence) => fence !== item.lease_fence && fence > 0)) {
    const reply = await svc.complete(item, { n: 1 }, { lease_fence: fence });
    t.is(reply.status, 409, String(fence));
    t.deepEqual(Object.keys(reply.body).toSorted(), ['completed', 'error', 'reason']);
    t.false(reply.body.completed);
    t.is(typeof reply.body.reason, 'string');
  }
  t.false(await changed());
  t.is((await svc.complete(item)).status, 200);
  await svc.until(id, 'completed');
});

check("rule 3: 409, another item's fence writes nothing", async (t, svc) => {
  const first = await claimed(svc);
  const second = await claimed(svc);
  const swapped = { lease_fence: second.item.lease_fence };
  t.is((await svc.complete(first.item, {}, swapped)).status, 409);
  t.is((await svc.fail(first.item, swapped)).status, 409);
  t.false(await first.changed());
  t.false(await second.changed());
});

check('rule 3: 409, an item that is settled already is settled once', async (t, svc) => {
  const { id, item } = await claimed(svc);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => svc.complete(item, { n })),
  );
  t.deepEqual(statusesOf(replies), [200, ...Array.from({ length: 19 }, () => 409)]);
  await svc.until(id, 'completed');
  const events = await svc.events(id);
  t.is(events.filter(({ kind }) => kind === 'NodeCompleted').length, 1);
  const late = await svc.complete(item);
  t.deepEqual(late.body, {
    error: 'conflict: already settled',
    completed: false,
    reason: 'already settled',
  });
  t.is((await svc.fail(item)).status, 409);
  t.deepEqual(await svc.events(id), events);
});

check('rule 3: a complete and a fail at once: one of them counts', async (t, svc) => {
  const { id, item } = await claimed(svc, {
    nodes: { a: { ...call, retry_policy: 'no_retry' } },
    edges: [],
  });
  const replies = await Promise.all([svc.complete(item), svc.fail(item)]);
  t.deepEqual(statusesOf(replies), [200, 409]);
  const won = replies[0]?.status === 200 ? 'completed' : 'failed';
  await svc.until(id, won);
  const kinds = (await svc.events(id)).map(({ kind }) => kind);
  t.is(kinds.filter((kind) => /^Node(Completed|Failed)$/.test(kind)).length, 1);
});

check('rule 4: 400, a key that is not the one minted for the item', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  const other = await claimed(svc);
  for (const key of [
    '',
    'x',
    item.idempotency_key.toUpperCase(),
    item.idempotency_key.slice(1),
    `${item.idempotency_key}0`,
    'f'.repeat(64),
    other.item.idempotency_key,
    7,
  ]) {
    const reply = await svc.complete(item, {}, { idempotency_key: key });
    t.is(reply.status, 400, String(key));
    t.regex(reply.body.error ?? '', /^bad request: idempotency_key/);
    const unfenced = { idempotency_key: key, lease_fence: null };
    t.is((await svc.complete(item, {}, unfenced)).status, 400, String(key));
  }
  t.false(await changed());
  t.is((await svc.complete(item)).status, 200);
});

check('rule 5: a recorded output is replayed in place of a call', async (t, svc) => {
  const { id, item } = await claimed(svc);
  const result = { lease_fence: null, state_patch: { seen: 1 } };
  t.is((await svc.complete(item, { n: 1 }, result)).status, 200);
  t.is((await svc.read(id)).status, 'running');
  t.is((await svc.post(`/work-items/${item.id}/requeue`)).status, 200);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { seen: 1 });
  const events = await svc.events(id);
  t.like(events[2]?.payload, { replayed: true });
  t.like(events[3]?.payload, { output: { n: 1 } });
  return masked(events);
});

check('rule 6: 409, failing with a stale fence writes nothing', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  const reply = await svc.fail(item, { lease_fence: item.lease_fence + 1 });
  t.is(reply.status, 409);
  t.is(typeof reply.body.reason, 'string');
  t.false(await changed());
  t.is((await svc.complete(item)).status, 200);
});

check('rule 7: failing without a fence settles, warns, and emits nothing', async (t, svc) => {
  const { id, item, changed } = await claimed(svc);
  const reply = await svc.fail(item, { lease_fence: null });
  t.is(reply.status, 200);
  t.like(reply.body, { failed: true, work_item_id: item.id, retryable: false, attempt: 0 });
  t.regex(reply.body.warning ?? '', /lease_fence/);
  t.is(reply.headers.get('Deprecation'), '@0');
  t.false(await changed());
  t.is((await svc.read(id)).status, 'running');
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.is((await svc.fail(item)).status, 409);
  t.false(await changed());
});

check('rule 8: 409, a heartbeat with a stale fence renews nothing', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  const beat = (lease_fence: unknown) =>
    svc.post<Record<string, unknown>>(`/work-items/${item.id}/heartbeat`, {
      worker_id: 'worker-1',
      lease_fence,
    });
  const renewed = await beat(item.lease_fence);
  t.is(renewed.status, 200);
  t.like(renewed.body, { renewed: true, work_item_id: item.id });
  t.true(String(renewed.body['lease_expires_at']) >= item.lease_expires_at);
  const stale = await beat(item.lease_fence + 1);
  t.is(stale.status, 409);
  t.like(stale.body, { renewed: false, work_item_id: item.id });
  t.is(typeof stale.body['reason'], 'string');
  for (const fence of [undefined, null, 0, '1']) t.is((await beat(fence)).status, 400);
  t.false(await changed());
  t.is((await svc.complete(item)).status, 200);
  t.is((await beat(item.lease_fence)).status, 409);
});

check('409: an item whose execution was cancelled is settled already', async (t, svc) => {
  const { id, item } = await claimed(svc);
  t.is((await svc.cancel(id)).status, 200);
  const events = await svc.events(id);
  for (const reply of [
    await svc.complete(item),
    await svc.complete(item, {}, { lease_fence: null }),
    await svc.fail(item),
    await svc.fail(item, { lease_fence: null }),
  ]) {
    t.is(reply.status, 409);
    t.is(reply.body.reason, 'already settled');
  }
  t.deepEqual(await svc.events(id), events);
});

check("400: coordinates that are not the item's", async (t, svc) => {
  const { id, item, changed } = await claimed(svc);
  const other = await claimed(svc);
  for (const wrong of [
    { execution_id: other.id },
    { execution_id: 'x' },
    { node_id: 'b' },
    { node_id: '' },
  ]) {
    const reply = await svc.complete(item, {}, wrong);
    t.is(reply.status, 400, JSON.stringify(wrong));
    t.regex(reply.body.error ?? '', /^bad request: (execution|node)_id/);
    t.is((await svc.fail(item, wrong)).status, 400, JSON.stringify(wrong));
  }
  t.false(await changed());
  t.false(await other.changed());
  const bare = id.slice('exec_'.length);
  t.is((await svc.complete(item, {}, { execution_id: bare })).status, 200);
});

check('200: coordinates, duration and model may be left out or null', async (t, svc) => {
  for (const value of [undefined, null]) {
    const { item } = await claimed(svc);
    const reply = await svc.post(`/work-items/${item.id}/complete`, {
      execution_id: value,
      node_id: value,
      duration_ms: value,
      gen_ai_model: value,
      finish_reason: value,
      output: {},
      state_patch: {},
      lease_fence: item.lease_fence,
      idempotency_key: item.idempotency_key,
    });
    t.is(reply.status, 200);
  }
});

check('400: output and state_patch must be objects', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  for (const bad of [undefined, null, [], 'text', 1]) {
    for (const field of ['output', 'state_patch']) {
      const reply = await svc.post(`/work-items/${item.id}/complete`, {
        output: {},
        state_patch: {},
        lease_fence: item.lease_fence,
        idempotency_key: item.idempotency_key,
        [field]: bad,
      });
      t.is(reply.status, 400, `${field}: ${JSON.stringify(bad)}`);
      t.regex(reply.body.error, new RegExp(`^bad request: ${field}`));
    }
  }
  for (const bad of [{ duration_ms: -1 }, { duration_ms: 1.5 }, { gen_ai_model: 1 }]) {
    t.is((await svc.complete(item, {}, bad)).status, 400, JSON.stringify(bad));
  }
  for (const error of [undefined, null, 1, {}]) {
    const body = { error, lease_fence: item.lease_fence };
    t.is((await svc.post(`/work-items/${item.id}/fail`, body)).status, 400);
  }
  for (const retry_after_ms of [-1, 1.5, '1', 30 * 86_400_000 + 1]) {
    const reply = await svc.fail(item, { retry_after_ms });
    t.is(reply.status, 400, JSON.stringify(retry_after_ms));
  }
  t.false(await changed());
});

check('400: a fence that is none: 0, negative, fractional or text', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  for (const fence of [0, -1, 1.5, '1', true, [], {}]) {
    t.is((await svc.complete(item, {}, { lease_fence: fence })).status, 400, JSON.stringify(fence));
    t.is((await svc.fail(item, { lease_fence: fence })).status, 400, JSON.stringify(fence));
  }
  t.false(await changed());
});

check('the order of checks: body 400, item 404, fence 409, key 400', async (t, svc) => {
  const { item, changed } = await claimed(svc);
  const unknown: WorkItem = { ...item, id: UNKNOWN_ITEM };
  const stale = { lease_fence: item.lease_fence + 1 };
  const badKey = { idempotency_key: 'x' };
  t.is((await svc.complete(unknown, {}, { ...stale, ...badKey, output: null })).status, 400);
  t.is((await svc.complete(unknown, {}, { ...stale, ...badKey })).status, 404);
  t.is((await svc.complete(item, {}, { ...stale, ...badKey })).status, 409);
  t.is((await svc.complete(item, {}, badKey)).status, 400);
  t.is((await svc.fail(unknown, { ...stale, error: null })).status, 400);
  t.is((await svc.fail(unknown, stale)).status, 404);
  t.is((await svc.fail(item, stale)).status, 409);
  t.false(await changed());
});

check('404: an unknown item, with an id of any form', async (t, svc, { runtime }) => {
  const { item } = await claimed(svc);
  for (const id of [UNKNOWN_ITEM, 'x', '1', '%20', 'x'.repeat(2_000), '..%2Fclaim']) {
    const unknown = { ...item, id };
    const path = `/work-items/${id}/heartbeat`;
    const beat = { worker_id: 'w', lease_fence: item.lease_fence };
    for (const reply of [
      await svc.complete(unknown),
      await svc.complete(unknown, {}, { lease_fence: null }),
      await svc.fail(unknown),
      await svc.post(path, beat),
      await svc.post(`/work-items/${id}/requeue`),
    ]) {
      t.is(reply.status, 404, id);
      t.is(reply.body.error, `not found: work item ${decodeURIComponent(id)}`);
    }
  }
  const other = await runtime.newTenant();
  t.is((await other.complete(item)).status, 404);
  t.is((await other.fail(item)).status, 404);
  t.is((await svc.complete(item)).status, 200);
});
