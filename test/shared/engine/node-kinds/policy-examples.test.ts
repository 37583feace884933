import { readFileSync } from 'node:fs';
import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* The examples of finalizers and policies; each ends as its file says. */

const by = { tenantId: TENANT, actorId: 'token:t' };

function exampleOf(name: string): JsonObject {
  const file = new URL(`../../../../examples/workflows/${name}.json`, import.meta.url);
  // The test registers it under its own id.
  const { workflow_id: _, ...ir } = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
  return ir;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: { teardown: (close: () => Promise<void>) => void }) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return openTestEngine({ store });
  };

  test(`${dialect}: policy.json pays what its rules allow, and nothing else`, async (t) => {
    const svc = await open(t);
    for (const [amount, paid] of [
      [10, true],
      [5_000, false],
    ] as const) {
      const executionId = await svc.start(exampleOf('policy'), { amount, currency: 'EUR' });
      await svc.settle();
      const { row, state } = await svc.engine.readExecution({ ...by, executionId });
      t.deepEqual([row.status, state.data['paid']], ['completed', paid]);
    }
  });

  test(`${dialect}: finalizer.json releases the lock however it ends`, async (t) => {
    const svc = await open(t);
    const executionId = await svc.start(exampleOf('finalizer'), { lock: 'l1' });
    await svc.settle();
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    const [release] = await svc.claim();
    t.like(release?.record.payload, {
      module: 'locks',
      function: 'release',
      input: { lock: 'l1', outcome: 'completed' },
    });
    await svc.complete(release, { output: { ok: true } });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution({ ...by, executionId });
    t.deepEqual([row.status, state.data['released']], ['completed', { ok: true }]);

    const cancelled = await svc.start(exampleOf('finalizer'), { lock: 'l2' });
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId: cancelled });
    await svc.settle();
    const [last] = await svc.claim();
    t.like(last?.record.payload, { input: { lock: 'l2', outcome: 'cancelled' } });
    await svc.complete(last, { output: {} });
    await svc.settle();
    t.is((await svc.story(cancelled)).at(-1), 'WorkflowCancelled');
  });

  test(`${dialect}: approval-for-tool.json pays what was shown and approved`, async (t) => {
    const svc = await open(t);
    const executionId = await svc.start(exampleOf('approval-for-tool'), {
      amount: 5,
      payee: 'ann',
    });
    await svc.settle();
    const { pending } = await svc.engine.listApprovals({ ...by, executionId });
    t.deepEqual(pending[0]?.shown, { tool: 'bank.pay', input: { amount: 5, to: 'ann' } });
    await svc.engine.decideApproval({
      ...by,
      executionId,
      decision: 'approved',
      nodeId: 'pay',
      userId: 'kim',
      comment: null,
      statePatch: null,
      shownHash: pending[0]?.shownHash ?? null,
    });
    await svc.settle();
    const [item] = await svc.claim();
    t.deepEqual(item?.record.payload['input'], { amount: 5, to: 'ann' });
    await svc.complete(item, { output: { receipt: 7 } });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution({ ...by, executionId });
    t.deepEqual([row.status, state.data['payment']], ['completed', { receipt: 7 }]);
  });
}
