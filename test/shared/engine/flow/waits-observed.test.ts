import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { TenantLimits } from '../../../../src/shared/domain/tenant.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Metrics tell how long executions waited before they began, and how many ended for others. */

const BY = { tenantId: TENANT, actorId: 'token:t' };
const NODES = {
  go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
};
const AGE_MS = 60_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: the time that a start waited for its tenant is observed`, async (t) => {
    const svc = await open(t, dialect, { max_concurrent_executions: 1, when_full: 'queue' });
    const first = await svc.start({ nodes: NODES });
    await svc.settle();
    await svc.start({ nodes: NODES });
    await svc.settle();
    t.deepEqual(svc.waits(), []);
    await svc.age({ table: 'child_places', columns: ['since'], byMs: AGE_MS });
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.settle();
    const [waited, ...more] = svc.waits();
    t.deepEqual([waited?.labels, more], [{ reason: 'max_concurrent_executions' }, []]);
    const seconds = waited?.value ?? 0;
    t.true(seconds >= 60 && seconds < 120, String(seconds));
  });

  test(`${dialect}: one that waits for its key and then for its tenant is observed for each`, async (t) => {
    const svc = await open(t, dialect, { max_concurrent_executions: 1, when_full: 'queue' });
    const ir = { nodes: NODES, concurrency: { limit: 1 } };
    const first = await svc.start({ nodes: NODES });
    await svc.settle();
    await svc.start(ir);
    await svc.settle();
    t.deepEqual(
      svc.waits().map(({ labels }) => labels['reason']),
      ['concurrency'],
    );
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.settle();
    t.deepEqual(
      svc.waits().map(({ labels }) => labels['reason']),
      ['concurrency', 'max_concurrent_executions'],
    );
  });

  test(`${dialect}: a batch counts the executions that it gathered, none as displaced`, async (t) => {
    const svc = await open(t, dialect, {});
    const ir: JsonObject = { workflow_id: 'orders', nodes: NODES, batch: { max: 3, wait: '1h' } };
    await svc.engine.registerWorkflow({ ...BY, ir });
    for (const n of [1, 2, 3]) {
      await svc.engine.startExecution({
        ...BY,
        workflowId: 'orders',
        workflowVersion: null,
        input: { n },
        priority: 5,
        idempotencyKey: null,
      });
    }
    await svc.settle();
    t.is(svc.counts.get('executions_gathered'), 2);
    t.is(svc.counts.get('executions_displaced'), undefined);
    t.deepEqual(
      svc.waits().map(({ labels }) => labels['reason']),
      ['batch'],
    );
  });
}

async function open(t: ExecutionContext, dialect: Dialect, limits: TenantLimits) {
  const { store, age, close } = await openTestStore(dialect);
  t.teardown(close);
  const changes = { name: null, status: null, policy: null, limits };
  await store.tenants.update(TENANT, { ...changes, actorId: 'token:t' });
  const svc = openTestEngine({ store });
  const waits = () => svc.observed.filter(({ name }) => name === 'execution_wait_seconds');
  return { ...svc, age, waits };
}
