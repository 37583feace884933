import test from 'ava';

import { DEFAULT_TENANT } from '../../../../src/shared/domain/ids.ts';
import { openObservedStore } from '../../../../src/shared/store/sqlite/open-in-memory.ts';
import { start } from '../contract/drive.ts';
import { makeTenantId } from '../contract/make.ts';

test('stores in memory are migrated once, and share no row', async (t) => {
  const [{ store: one }, { store: other }] = [await openObservedStore(), await openObservedStore()];
  t.teardown(() => Promise.all([one.close(), other.close()]));
  const migrated = await one.tenants.find(DEFAULT_TENANT);
  t.truthy(migrated);
  t.deepEqual(await other.tenants.find(DEFAULT_TENANT), migrated);
  const tenantId = makeTenantId();
  await one.tenants.create({ tenantId, name: 'Acme', actorId: 'token:t' });
  const { executionId } = await start(one);
  t.is(await other.tenants.find(tenantId), null);
  t.is(await other.executions.find(executionId, null), null);
  t.truthy(await one.executions.find(executionId, null));
  const { store: next } = await openObservedStore();
  t.teardown(() => next.close());
  t.is(await next.tenants.find(tenantId), null);
});
