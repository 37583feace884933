import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';

/* Addition: starts that wait for a place of their tenant. */

const check = onBothStores();

const waiting = (id: string, more: JsonObject = {}) => ({
  workflow_id: id,
  nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  ...more,
});

interface Explained {
  readonly blockers: readonly {
    readonly code: string;
    readonly message: string;
    readonly position?: number;
  }[];
}

async function limit(svc: TestTenant, limits: JsonObject): Promise<number> {
  const path = `/tenants/${svc.tenantId}`;
  return (await svc.send({ method: 'PUT', path, body: { limits } })).status;
}

check('201: starts of a full tenant wait, and begin in their order', async (t, svc) => {
  t.is(await limit(svc, { max_concurrent_executions: 1, when_full: 'queue' }), 200);
  const id = await svc.register(waiting('orders'));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const second = await svc.start(id);
  const third = await svc.start(id);
  const explain = async (execution: string) =>
    (await svc.get<Explained>(`/executions/${execution}/explain`)).body.blockers[0];
  t.like(await explain(third), {
    code: 'waiting_for_place',
    message: 'waits for a place: number 2 in the queue of the tenant, limit 1 reached',
    position: 2,
  });
  t.deepEqual(await svc.story(second), ['WorkflowStarted']);
  t.is((await svc.read(second)).status, 'running');
  await svc.deliver(first, 'go');
  await svc.until(first, 'completed');
  await svc.until(second, 'paused');
  t.like(await explain(third), { code: 'waiting_for_place', position: 1 });
  await svc.cancel(second);
  await svc.until(third, 'paused');
  await svc.deliver(third, 'go');
  await svc.until(third, 'completed');
});
