import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce } from '../drive.ts';
import { makeTenantId } from '../make.ts';

const KEY = { keyId: 'key-1', box: 'c2VhbGVk' };

export function memorySettingsCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('settings are what was saved last, each tenant’s own', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    t.is(await memory.readSettings(tenantId), null);
    const saved = await memory.saveSettings({
      actorId: 'token:ci',
      tenantId,
      provider: 'openai',
      key: KEY,
      enabled: true,
    });
    t.deepEqual(saved, { provider: 'openai', enabled: true, key: KEY });
    const key = { keyId: 'key-2', box: 'YW5kZXJz' };
    await memory.saveSettings({
      tenantId,
      provider: 'openai',
      key,
      enabled: false,
      actorId: 'token:ci',
    });
    t.deepEqual(await memory.readSettings(tenantId), { provider: 'openai', enabled: false, key });
    t.is(await memory.readSettings(makeTenantId()), null);
  });

  check('memory is switched without touching the key', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    const unset = { provider: null, enabled: true, key: null };
    t.deepEqual(await memory.setEnabled({ tenantId, enabled: true, actorId: 'token:ci' }), unset);
    t.deepEqual(await memory.readSettings(tenantId), unset);
    await memory.saveSettings({
      tenantId,
      provider: 'openai',
      key: KEY,
      enabled: true,
      actorId: 'token:ci',
    });
    const off = { provider: 'openai', enabled: false, key: KEY };
    t.deepEqual(await memory.setEnabled({ tenantId, enabled: false, actorId: 'token:ci' }), off);
  });

  check('all sealed keys are listed, in pages', async (t, { store: { memory } }) => {
    const tenants = (await atOnce(5, async () => makeTenantId())).toSorted();
    for (const tenantId of tenants) {
      await memory.saveSettings({
        tenantId,
        provider: 'openai',
        key: KEY,
        enabled: true,
        actorId: 'token:ci',
      });
    }
    await memory.setEnabled({ tenantId: makeTenantId(), enabled: true, actorId: 'token:ci' });
    const listed = [];
    for (let after = null; ;) {
      const page: Awaited<ReturnType<typeof memory.listSealedKeys>> = await memory.listSealedKeys({
        after,
        limit: 2,
      });
      listed.push(...page);
      if (page.length < 2) break;
      after = page.at(-1)?.tenantId ?? null;
    }
    const ours = listed.filter(({ tenantId }) => tenants.includes(tenantId));
    t.deepEqual(
      ours,
      tenants.map((tenantId) => ({ tenantId, key: KEY })),
    );
  });

  check('a key is replaced only if it is the one that was read', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    await memory.saveSettings({
      tenantId,
      provider: 'openai',
      key: KEY,
      enabled: false,
      actorId: 'token:ci',
    });
    const replaced = await atOnce(20, (index) =>
      memory.replaceKey({ tenantId, from: KEY, to: { keyId: 'new', box: `box-${index}` } }),
    );
    t.is(replaced.filter(Boolean).length, 1);
    const box = `box-${replaced.indexOf(true)}`;
    t.deepEqual(await memory.readSettings(tenantId), {
      provider: 'openai',
      enabled: false,
      key: { keyId: 'new', box },
    });
    t.false(await memory.replaceKey({ tenantId: makeTenantId(), from: KEY, to: KEY }));
  });
}
