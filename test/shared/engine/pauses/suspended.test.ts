import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { Tenant } from '../../../../src/shared/domain/tenant.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* An operator suspends a tenant while its executions run inside the engine. */

const tenantId = 'acme' as TenantId;
const CHAIN = {
  nodes: { a: { kind: 'call' }, b: { kind: 'call' }, c: { kind: 'call' } },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: running work ends, nothing further begins until the tenant is active`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const ran: string[] = [];
    const set = (status: Tenant['status']) =>
      svc.engine.updateTenant({
        tenantId,
        actorId: 'token:test',
        changes: { name: null, status, policy: null, limits: null },
      });
    const svc = openTestEngine({
      store,
      tenantId,
      async run({ nodeId }) {
        ran.push(nodeId);
        if (nodeId === 'a') await set('suspended');
        return { ok: true, output: {}, statePatch: {} };
      },
    });
    await svc.engine.createTenant({ tenantId, name: 'Acme', actorId: 'token:test' });
    const executionId = await svc.start(CHAIN);
    await svc.settle();
    t.deepEqual(ran, ['a']);
    t.deepEqual((await svc.story(executionId)).slice(-2), ['NodeCompleted a', 'NodeScheduled b']);
    await set('active');
    await svc.settle();
    t.deepEqual(ran, ['a', 'b', 'c']);
    t.is((await svc.story(executionId)).at(-1), 'WorkflowCompleted');
  });
}
