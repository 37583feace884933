import test from 'ava';

import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { readMigrations } from '../../../src/shared/store/opening/migrations.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { changeTable, openTestStore } from '../../support/stores.ts';
import { start } from './contract/drive.ts';
import { makeUuid } from './contract/make.ts';

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an upgrade lists the tenants that nobody made and that have something`, async (t) => {
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const actorId = 'token:test';
    const suspended = 'suspended' as TenantId;
    await store.tenants.create({ tenantId: suspended, name: 'Paused Ltd', actorId });
    const changes = { name: null, status: 'suspended', policy: null, limits: null } as const;
    await store.tenants.update(suspended, { ...changes, actorId });
    for (const tenantId of [suspended, 'with-token' as TenantId, 'with-token-too' as TenantId]) {
      await mint(store, tenantId);
    }
    await start(store, { tenantId: 'with-run' as TenantId });
    await start(store, { tenantId: 'with-another' as TenantId });
    // Written without the service, because no request can name it.
    await mint(store, 'No Tenant' as TenantId);

    const migration = (await readMigrations(dialect)).find(
      ({ title }) => title === 'listed_tenants',
    );
    for (const _ of ['once', 'and again, as on a database where nothing is left to do']) {
      await changeTable(url)(migration?.sql ?? '');
      const listed = await store.tenants.list({ limit: 100, offset: 0 });
      t.deepEqual(
        listed.map(({ tenantId, name, status }) => [tenantId, name, status]),
        [
          ['default', 'default', 'active'],
          ['suspended', 'Paused Ltd', 'suspended'],
          ['with-another', 'with-another', 'active'],
          ['with-run', 'with-run', 'active'],
          ['with-token', 'with-token', 'active'],
          ['with-token-too', 'with-token-too', 'active'],
        ],
      );
      t.like(await store.tenants.find('with-run' as TenantId), { policy: {}, limits: {} });
    }
  });
}

async function mint(store: Store, tenantId: TenantId): Promise<void> {
  await store.tokens.create({
    tokenId: makeUuid(),
    tenantId,
    name: 'ci',
    role: 'viewer',
    hash: makeUuid().replaceAll('-', '').repeat(2),
    expiresInMs: null,
    actorId: 'token:test',
  });
}
