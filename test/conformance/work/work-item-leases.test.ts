import test from 'ava';

import { onBothStores } from '../../support/both-stores.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startRuntime } from '../../support/runtime.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import { masked } from '../../support/told.ts';
import type { DeadLetter, ItemAnswer, WorkItem } from '../../support/wire.ts';

/* Leases that end: renewed, lapsed, given to another worker, exhausted. */

const env = { SVC_SCHEDULER_LEASE_SECONDS: '2' };
const check = onBothStores({ env });
const call = { kind: 'python_fn', module: 'm', function: 'f' };

check('200: a heartbeat keeps an item beyond its first lease', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  let expiresAt = item.lease_expires_at;
  await eventually(async () => {
    const renewed = expectStatus(await beat(svc, item), 200);
    t.true((renewed.lease_expires_at ?? '') >= expiresAt);
    expiresAt = renewed.lease_expires_at ?? '';
    if (Date.now() < Date.parse(item.lease_expires_at) + 1_000) throw new Error('not yet');
  });
  expectStatus(await svc.complete(item), 200);
  await svc.until(id, 'completed');
  t.false((await svc.story(id)).includes('NodeFailed a'));
});

check('an item whose lease lapsed goes to another worker, as the next attempt', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const lost = await svc.claim({ worker_id: 'silent' });
  const found = await svc.claim({ worker_id: 'other' });
  t.is(found.id, lost.id);
  t.is(found.attempt, 1);
  t.true(found.lease_fence > lost.lease_fence);
  t.is(found.idempotency_key, lost.idempotency_key);
  t.deepEqual(found.payload, lost.payload);

  const before = await svc.events(id);
  t.like(before[2]?.payload, { error_class: 'lease_lapsed', worker_id: 'silent', attempt: 0 });
  for (const late of [await beat(svc, lost), await svc.complete(lost), await svc.fail(lost)]) {
    t.is(late.status, 409);
    t.is(typeof late.body.reason, 'string');
  }
  t.deepEqual(await svc.events(id), before);
  expectStatus(await svc.complete(found), 200);
  await svc.until(id, 'completed');
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeFailed a',
    'RetryScheduled a',
    'ToolCallCompleted a',
    'NodeCompleted a',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('an item that every worker loses is dead-lettered', async (t, svc) => {
  const id = await svc.run({ nodes: { a: { ...call, retry_policy: { max_attempts: 2 } } } });
  const first = await svc.claim();
  const second = await svc.claim();
  t.deepEqual([second.id, second.attempt], [first.id, 1]);
  const execution = await svc.until(id, 'failed');
  t.regex(execution.error ?? '', /^node a failed: the lease lapsed/);
  const path = '/work-items?status=dead_lettered';
  const { work_items: letters } = (await svc.get<{ work_items: DeadLetter[] }>(path)).body;
  t.like(letters[0], { id: first.id, attempt: 1 });
  return masked(await svc.events(id));
});

check('200: heartbeats are asked for well within the lease', async (t, svc) => {
  await svc.run({ nodes: { a: call }, timeouts: { heartbeat_interval: 30 } });
  const { heartbeat_interval_ms: everyMs } = await svc.claim();
  t.true(everyMs > 0 && everyMs <= 1_000, String(everyMs));
});

check('a failed attempt is retried while another item keeps its lease', async (t, svc) => {
  const nodes = { split: { kind: { type: 'parallel', branches: ['a', 'b'] } }, a: call, b: call };
  const id = await svc.run({ nodes });
  const [lost, kept] = [await svc.claimOf('a'), await svc.claimOf('b')];
  const again = await eventually(async () => {
    expectStatus(await beat(svc, kept), 200);
    const { work_item: found } = await svc.tryClaim();
    if (found === undefined) throw new Error('not lapsed yet');
    return found;
  });
  t.is(again.id, lost.id);
  expectStatus(await svc.complete(again), 200);
  expectStatus(await svc.complete(kept), 200);
  await svc.until(id, 'completed');
});

test('200: a late complete counts while nobody has taken the lease back', async (t) => {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  // Without a scheduler, no lease lapses.
  const api = await startRuntime({ entry: 'svc-api', databaseUrl: database.url, env });
  t.teardown(() => api.end('SIGKILL'));
  const svc = await api.newTenant();
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  await eventually(() => {
    if (Date.now() <= Date.parse(item.lease_expires_at)) throw new Error('not lapsed yet');
  });
  expectStatus(await svc.complete(item), 200);
  t.deepEqual((await svc.story(id)).slice(-2), ['NodeCompleted a', 'WorkflowCompleted']);
  t.is(await api.end('SIGTERM'), 0);
});

function beat(svc: TestTenant, item: WorkItem) {
  const body = { worker_id: 'worker-1', lease_fence: item.lease_fence };
  return svc.post<ItemAnswer>(`/work-items/${item.id}/heartbeat`, body);
}
