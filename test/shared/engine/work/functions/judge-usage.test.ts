import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { openTestEngine, TENANT } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

const STEP = { kind: 'step', output: null } as const;
const usage = { input_tokens: 5, output_tokens: 0, cost_usd: null };

for (const dialect of ['sqlite', 'postgres'] as const) {
  /** Counts the reads of budgets while a function records a step, and a step with usage. */
  const readsOf = async (t: ExecutionContext, ir: JsonObject) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    let reads = 0;
    const executions: typeof store.executions = {
      ...store.executions,
      usage(executionId) {
        reads += 1;
        return store.executions.usage(executionId);
      },
    };
    const svc = openTestEngine({ store: { ...store, executions } });
    await svc.start({ nodes: { f: { kind: 'function', name: 'f' } }, ...ir });
    await svc.settle();
    const [item] = await svc.engine.claimWork({
      tenantId: TENANT,
      workerId: 'worker-1',
      queues: ['function'],
      maxItems: 1,
      waitMs: 0,
      signal: new AbortController().signal,
      host: 'h',
      version: '1',
    });
    if (item === undefined) throw new Error('nothing was claimed');
    const of = {
      tenantId: TENANT,
      workItemId: item.record.workItemId,
      leaseFence: item.leaseFence,
    };
    const before = reads;
    const plain = [{ ...STEP, identity: 'plain' }];
    await svc.engine.recordSteps({ ...of, expectedLength: 0, entries: plain });
    const plainReads = reads - before;
    const entries = [{ ...STEP, identity: 'used', usage }];
    await svc.engine.recordSteps({ ...of, expectedLength: 1, entries });
    return [plainReads, reads - before - plainReads];
  };

  test(`${dialect}: budgets are read for a step with usage, and for no other`, async (t) => {
    t.deepEqual(await readsOf(t, { token_budget: 100 }), [0, 1]);
  });

  test(`${dialect}: no budget is read where there is none`, async (t) => {
    t.deepEqual(await readsOf(t, {}), [0, 0]);
  });
}
