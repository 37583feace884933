import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

const SHARDS = [...Array(64).keys()];
const ONE_CALL = { nodes: { a: { kind: 'call' } }, edges: [] };

for (const storeKind of ['sqlite', 'postgres'] as const) {
  test(`${storeKind}: a tenant does not wait for all slow calls of another`, async (t) => {
    const { store, close } = await openTestStore(storeKind);
    t.teardown(close);
    const slow = Promise.withResolvers<NodeOutcome>();
    const calls: string[] = [];
    const large = 'large' as TenantId;
    const host = openTestEngine({
      store,
      tenantId: large,
      run: (call) => {
        calls.push(call.tenantId);
        return slow.promise;
      },
    });
    const other = openTestEngine({ store, tenantId: 'small' as TenantId });
    const claim = async (limit: number) => {
      const before = calls.length;
      const { found } = await host.scheduling.runQueuedNodes({ shards: SHARDS, limit });
      while (calls.length < before + found) await new Promise((resolve) => setImmediate(resolve));
      return calls.slice(before).toSorted();
    };
    for (let n = 0; n < 10; n += 1) await host.start(ONE_CALL);
    t.deepEqual(await claim(3), ['large', 'large', 'large']);
    for (let n = 0; n < 2; n += 1) await other.start(ONE_CALL);
    t.deepEqual(await claim(1), ['small']);
    t.deepEqual(await claim(3), ['large', 'large', 'small']);
    slow.resolve({ ok: true, output: {}, statePatch: {} });
    await host.settle();
  });
}
