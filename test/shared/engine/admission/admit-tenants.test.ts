import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { admitTenants } from '../../../../src/shared/engine/admission/admit-tenants.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestStore } from '../../../support/stores.ts';
import {
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
} from '../../store/contract/make.ts';

const LARGE = 'large' as TenantId;
const SMALL = 'small' as TenantId;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: each tenant gets the places of its own limit, and their shards hear of it`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    await makeTenant(store, LARGE, { places: 2 });
    await makeTenant(store, SMALL, { places: 5 });
    await startInLine(store, LARGE, [7, 7, 9]);
    await startInLine(store, SMALL, [11]);
    const tenants = (await store.places.listTenants()).toSorted();
    t.deepEqual(tenants, [LARGE, SMALL]);

    const seen = { topics: [] as string[], counts: [] as number[], waits: 0 };
    const deps = {
      places: store.places,
      wake: { notify: (topics: readonly string[]) => void seen.topics.push(...topics) },
      report: {
        count: (_: string, by: number) => void seen.counts.push(by),
        observe: () => void (seen.waits += 1),
      },
    };
    t.deepEqual(await admitTenants(deps, tenants), { found: 3, more: false });
    t.deepEqual(seen, { topics: ['run:7', 'run:11'], counts: [2, 1], waits: 3 });
    t.deepEqual(await admitTenants(deps, tenants), { found: 0, more: false });
    t.deepEqual(seen.topics, ['run:7', 'run:11'], 'nobody is woken for nothing');
  });

  test(`${dialect}: a round that admits as many of a tenant as it may says that there may be more`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    await makeTenant(store, LARGE, { places: 1_000 });
    await startInLine(
      store,
      LARGE,
      Array.from({ length: 201 }, () => 7),
    );
    const deps = {
      places: store.places,
      wake: { notify: () => undefined },
      report: { count: () => undefined, observe: () => undefined },
    };
    t.deepEqual(await admitTenants(deps, [LARGE]), { found: 200, more: true });
    t.deepEqual(await admitTenants(deps, [LARGE]), { found: 1, more: false });
  });
}

async function makeTenant(
  store: Store,
  tenantId: TenantId,
  { places }: { readonly places: number },
): Promise<void> {
  const actorId = 'token:ci';
  await store.tenants.create({ tenantId, name: tenantId, actorId });
  const limits = { when_full: 'queue', max_concurrent_executions: places } as const;
  await store.tenants.update(tenantId, { name: null, status: null, policy: null, limits, actorId });
}

/** Starts one execution in each of these shards, in their order. */
async function startInLine(
  store: Store,
  tenantId: TenantId,
  shards: readonly number[],
): Promise<void> {
  const plans = shards.map((shard) =>
    makePlan(
      { executionId: makeExecutionId(), tenantId },
      {
        create: makeNewExecution({ shard }),
        events: [makeStarted()],
        tenantLine: { state: 'waiting', shard, isNew: true },
      },
    ),
  );
  await store.executions.commit(plans);
}
