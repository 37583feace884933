import { auditIdOfEvent } from '../../src/shared/domain/audit/audit-item.ts';
import type { ExecutionId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';

/* The interface document, "Audit": every action leaves a permanent item. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };

interface AuditItem {
  readonly id: string;
  readonly execution_id: string | null;
  readonly event_type: string;
  readonly actor_id: string;
  readonly created_at: string;
  readonly node_id: string | null;
  readonly sequence: number | null;
  readonly payload: JsonObject | null;
}

interface AuditPage {
  readonly items: readonly AuditItem[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly next_cursor: string | null;
}

check('200: a run is listed from its registration to its end', async (t, svc) => {
  const id = await svc.run({ nodes: { a: { ...call, retry_policy: { initial_delay: 0 } } } });
  await svc.breakDown('a');
  await svc.work('a');
  await svc.until(id, 'completed');
  const { items, total } = await audit(svc);
  t.is(total, items.length);
  const events = await svc.events(id);
  t.deepEqual(
    items.filter(({ sequence }) => sequence !== null).map(({ sequence }) => sequence),
    events.map(({ sequence }) => sequence).toReversed(),
  );
  for (const item of items) {
    t.deepEqual(Object.keys(item).toSorted(), [
      'actor_id',
      'created_at',
      'event_type',
      'execution_id',
      'id',
      'node_id',
      'payload',
      'sequence',
    ]);
    const event = events.find(({ sequence }) => sequence === item.sequence);
    if (event === undefined || item.sequence === null) continue;
    t.is(item.execution_id, id);
    t.is(item.created_at, event.created_at);
    t.is(item.actor_id, event.actor_id);
    t.is(item.id, auditIdOfEvent(id as ExecutionId, item.sequence));
  }
  return items.map(({ event_type, actor_id, node_id }) => [event_type, actor_id, node_id]);
});

check('200: decisions and messages of people are listed with their authors', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      ask: { kind: 'human_approval' },
      wait: { kind: 'wait', condition: 'external_event', correlation_key: 'k' },
    },
    edges: [{ from: 'ask', to: 'wait' }],
  });
  await svc.approve(id, { decision: 'approved' });
  await svc.deliver(id, 'k');
  await svc.until(id, 'completed');
  const again = await svc.run({ nodes: { ask: { kind: 'human_approval' } } });
  expectStatus(await svc.cancel(again), 200);
  expectStatus(await svc.cancel(again), 200);
  for (const [type, count] of [
    ['approval_received', 1],
    ['external_event_received', 1],
    ['workflow_cancelled', 1],
    ['workflow_registered', 2],
  ] as const) {
    const page = await audit(svc, `?event_type=${type}`);
    t.is(page.total, count, type);
    for (const { actor_id: actor } of page.items) t.is(actor, 'token:api-key', type);
  }
  t.is((await audit(svc, '?actor_id=token:api-key')).total, 9);
});

check('200: worker calls without a fence, and requeueing, are listed too', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  const item = await svc.claim();
  expectStatus(await svc.fail(item, { lease_fence: null, error: 'lost' }), 200);
  expectStatus(await svc.post(`/work-items/${item.id}/requeue`), 200);
  await svc.work('a');
  await svc.until(id, 'completed');
  const { items } = await audit(svc, `?execution_id=${id}`);
  const requests = items.filter(({ sequence }) => sequence === null);
  t.deepEqual(
    requests.map(({ payload }) => payload?.['work_item_id']),
    [item.id, item.id],
  );
  return requests.map(({ event_type, actor_id }) => [event_type, actor_id]);
});

check('200: pages neither miss nor repeat, and the total is exact', async (t, svc) => {
  const workflow = await svc.register({ nodes: { a: {} } });
  for (let count = 0; count < 5; count += 1) {
    await svc.until(await svc.start(workflow), 'completed');
  }
  const all = await audit(svc);
  t.is(all.total, all.items.length);
  const paged: AuditItem[] = [];
  for (let offset = 0; offset < all.total + 7; offset += 7) {
    const page = await audit(svc, `?limit=7&offset=${offset}`);
    t.like(page, { total: all.total, limit: 7, offset });
    paged.push(...page.items);
  }
  t.deepEqual(paged, all.items);
  const followed: AuditItem[] = [];
  let cursor = '';
  do {
    const page = await audit(svc, `?limit=7${cursor}`);
    followed.push(...page.items);
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  t.deepEqual(followed, all.items);
  const times = all.items.map(({ created_at: at }) => at);
  t.deepEqual(times, times.toSorted().toReversed());
  t.like(await audit(svc, '?limit=9999'), { limit: 200 });
  return all.total;
});

check('200: another tenant sees nothing of it', async (t, svc, { runtime }) => {
  const id = await svc.run({ nodes: { a: {} } });
  await svc.until(id, 'completed');
  const other = await runtime.newTenant();
  const { items } = await audit(other);
  t.deepEqual(
    items.map(({ event_type: type }) => type),
    ['tenant_created'],
  );
  t.is((await audit(other, `?execution_id=${id}`)).total, 0);
});

check('400: a limit or an offset that makes no sense', async (t, svc) => {
  for (const query of ['limit=0', 'limit=-1', 'limit=ten', 'offset=-1']) {
    t.is((await svc.get(`/audit?${query}`)).status, 400, query);
  }
});

async function audit(svc: TestTenant, query = ''): Promise<AuditPage> {
  return expectStatus(await svc.get<AuditPage>(`/audit${query}`), 200);
}
