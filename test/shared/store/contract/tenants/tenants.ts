import { DEFAULT_TENANT, type TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce } from '../drive.ts';
import { makeTenantId } from '../make.ts';

const ACTOR = 'token:ci';
const NOTHING = { name: null, status: null, policy: null, limits: null, actorId: ACTOR };

export function tenantCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('the default tenant exists from the beginning', async (t, { store }) => {
    t.like(await store.tenants.find(DEFAULT_TENANT), {
      tenantId: 'default',
      status: 'active',
      policy: {},
      limits: {},
    });
  });

  check('a tenant is made once, active and without limits', async (t, { store }) => {
    const tenantId = makeTenantId();
    t.is(await store.tenants.find(tenantId), null);
    const rows = await atOnce(20, () =>
      store.tenants.create({ tenantId, name: 'Größe', actorId: ACTOR }),
    );
    const [made, ...others] = rows.filter((row) => row !== null);
    t.deepEqual(others, []);
    t.like(made, { tenantId, name: 'Größe', status: 'active', policy: {}, limits: {} });
    t.is(made?.createdAt, made?.updatedAt);
    t.deepEqual(await store.tenants.find(tenantId), made ?? null);
    t.deepEqual(await auditedOf(store, tenantId), ['tenant_created']);
  });

  check('a change leaves the rest as it is, and replaces what it names', async (t, database) => {
    const { store } = database;
    const tenantId = makeTenantId();
    await store.tenants.create({ tenantId, name: 'before', actorId: ACTOR });
    const policy = { blocked_tools: ['shell.*'], model_allowlist: [] };
    const limits = { max_workflows: 3, memory_tier: 'team' } as const;
    const first = await store.tenants.update(tenantId, { ...NOTHING, policy, limits });
    t.like(first, { name: 'before', status: 'active', policy, limits });
    const second = await store.tenants.update(tenantId, {
      ...NOTHING,
      name: 'after',
      status: 'suspended',
      limits: { requests_per_second: 5 },
    });
    t.like(second, {
      name: 'after',
      status: 'suspended',
      policy,
      limits: { requests_per_second: 5 },
    });
    t.is(second?.createdAt, first?.createdAt);
    t.true((second?.updatedAt ?? '') >= (first?.updatedAt ?? ''));
    t.deepEqual(await store.tenants.find(tenantId), second);
    const untouched = await store.tenants.update(tenantId, NOTHING);
    t.like(untouched, { name: 'after', policy });
    const update = 'tenant_updated';
    t.deepEqual(await auditedOf(store, tenantId), [update, update, update, 'tenant_created']);
  });

  check('an unknown tenant is not changed', async (t, database) => {
    const before = await database.contents();
    const changes = { ...NOTHING, name: 'x' };
    t.is(await database.store.tenants.update(makeTenantId(), changes), null);
    t.deepEqual(await database.contents(), before);
  });

  check('tenants are listed in the order of their ids, in pages', async (t, { store }) => {
    for (let count = 0; count < 3; count += 1) {
      await store.tenants.create({ tenantId: makeTenantId(), name: 'listed', actorId: ACTOR });
    }
    const all = await store.tenants.list({ limit: 1_000, offset: 0 });
    const ids = all.map(({ tenantId }) => tenantId);
    t.true(ids.length >= 4);
    t.deepEqual(ids, ids.toSorted());
    t.deepEqual(await store.tenants.list({ limit: 2, offset: 1 }), all.slice(1, 3));
    const after = ids[1] ?? null;
    t.deepEqual(await store.tenants.list({ after, limit: 1, offset: 0 }), all.slice(2, 3));
    t.true((await store.tenants.count()) >= 4);
  });
}

/** The audited changes of a tenant, newest first. */
async function auditedOf(store: Store, tenantId: TenantId): Promise<readonly string[]> {
  const { items } = await store.audit.list({
    tenantId,
    executionId: null,
    actorId: ACTOR,
    eventType: null,
    limit: 50,
    offset: 0,
  });
  return items.map(({ eventType }) => eventType);
}
