import type { DefinitionId, TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type {
  DefinitionRow,
  DefinitionStore,
  Store,
} from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce } from '../drive.ts';
import { makeDefinitionId, makeTenantId } from '../make.ts';

type Registration = Parameters<DefinitionStore['register']>[0];

export function definitionCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('the newest revision is found by its id alone', async (t, { store }) => {
    const { definitions } = store;
    const tenantId = makeTenantId();
    const register = async (workflowId: string, version: string, irHash: string) => {
      const definitionId = makeDefinitionId();
      const of = { tenantId, workflowId, version, irHash, ir: {}, actorId: 'token:ci' };
      await definitions.register({ ...of, definitionId });
      return definitionId;
    };
    await register('w', '1', 'a');
    const first = await register('w', '1', 'b');
    const second = await register('w', '2', 'a');
    const other = await register('other', '1', 'a');
    const ask = (workflowId: string, version: string | null) =>
      definitions.latestId({ tenantId, workflowId, version });
    const asked = await Promise.all([
      ask('w', '1'),
      ask('w', null),
      ask('none', null),
      ask('other', '1'),
      ask('w', '3'),
      definitions.latestId({ tenantId: makeTenantId(), workflowId: 'w', version: null }),
    ]);
    const latest = (definitionId: DefinitionId) => ({ definitionId, workflowPause: null });
    t.deepEqual(asked, [latest(first), latest(second), null, latest(other), null, null]);
    const again = await register('w', '1', 'c');
    t.deepEqual(await ask('w', null), latest(again));
  });

  check('a registered definition is found as it was given', async (t, { store }) => {
    const given = registration(makeTenantId(), {
      ir: { workflow_id: 'greet', text: 'Größe ✓', list: [1, 2.5, null, { a: true }] },
    });
    const row = await register(store, given);
    const { ir, actorId: _, ...rest } = given;
    t.deepEqual(row, { ...rest, revision: 1, createdAt: row.createdAt });
    t.deepEqual(await store.definitions.find(row.definitionId), { ...row, ir });
    t.is(await store.definitions.find(makeDefinitionId()), null);
  });

  check('the same definition again is the same revision', async (t, { store }) => {
    const tenantId = makeTenantId();
    const first = await register(store, registration(tenantId));
    t.deepEqual(await register(store, registration(tenantId)), first);
  });

  check('another definition under the same version is a new revision', async (t, { store }) => {
    const tenantId = makeTenantId();
    const revisions: DefinitionRow[] = [];
    for (const irHash of ['a', 'b', 'a']) {
      revisions.push(await register(store, registration(tenantId, { irHash })));
    }
    t.deepEqual(
      revisions.map(({ revision }) => revision),
      [1, 2, 3],
    );
    t.is(new Set(revisions.map(({ definitionId }) => definitionId)).size, 3);
    for (const row of revisions) t.like(await store.definitions.find(row.definitionId), { ...row });
  });

  check('revisions are counted by tenant, workflow and version', async (t, { store }) => {
    const [tenantId, other] = [makeTenantId(), makeTenantId()];
    for (const given of [
      registration(tenantId, { irHash: 'a' }),
      registration(tenantId, { irHash: 'b', version: '2.0.0' }),
      registration(tenantId, { irHash: 'c', workflowId: 'other' }),
      registration(other, { irHash: 'd' }),
    ]) {
      t.is((await register(store, given)).revision, 1);
    }
  });

  check('twenty registrations of one definition make one revision', async (t, { store }) => {
    const tenantId = makeTenantId();
    const rows = await atOnce(20, () => register(store, registration(tenantId)));
    t.is(new Set(rows.map(({ definitionId }) => definitionId)).size, 1);
    t.true(rows.every(({ revision }) => revision === 1));
  });

  check('twenty definitions under one version make twenty revisions', async (t, { store }) => {
    const tenantId = makeTenantId();
    const rows = await atOnce(20, (index) =>
      register(store, registration(tenantId, { irHash: `hash-${index}` })),
    );
    t.deepEqual(
      rows.map(({ revision }) => revision).toSorted((left, right) => left - right),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  check('the latest is what was registered last', async (t, { store }) => {
    const tenantId = makeTenantId();
    const registerAs = (version: string, irHash: string) =>
      register(store, registration(tenantId, { version, irHash }));
    const latest = async (version: string | null) =>
      (await store.definitions.findLatest({ tenantId, workflowId: 'greet', version }))
        ?.definitionId ?? null;
    t.is(await latest(null), null);
    await registerAs('2.0.0', 'a');
    const older = await registerAs('1.0.0', 'b');
    t.is(await latest(null), older.definitionId);
    const revised = await registerAs('2.0.0', 'c');
    t.is(await latest(null), revised.definitionId);
    t.is(await latest('2.0.0'), revised.definitionId);
    t.is(await latest('1.0.0'), older.definitionId);
    t.is(await latest('3.0.0'), null);
    // A repeated registration adds nothing, so the latest definition does not change.
    await registerAs('1.0.0', 'b');
    t.is(await latest(null), revised.definitionId);
    // The order of registration decides, not the number of the revision.
    const first = await registerAs('0.9.0', 'd');
    t.is(await latest(null), first.definitionId);
  });

  check("another tenant's definition is never the latest", async (t, { store }) => {
    await register(store, registration(makeTenantId()));
    const params = { tenantId: makeTenantId(), workflowId: 'greet', version: null };
    t.is(await store.definitions.findLatest(params), null);
  });

  check('the latest comes with its definition', async (t, { store }) => {
    const given = registration(makeTenantId());
    const row = await register(store, given);
    t.deepEqual(await store.definitions.findLatest({ ...given, version: null }), {
      ...row,
      ir: given.ir,
    });
  });

  check('the newest revision of each version is listed, newest first', async (t, { store }) => {
    const tenantId = makeTenantId();
    await register(store, registration(makeTenantId()));
    const registerAs = (workflowId: string, version: string, irHash: string) =>
      register(store, registration(tenantId, { workflowId, version, irHash }));
    await registerAs('greet', '1', 'a');
    const other = await registerAs('other', '1', 'b');
    const second = await registerAs('greet', '2', 'c');
    const revised = await registerAs('greet', '1', 'd');
    const list = (changes: Partial<Parameters<DefinitionStore['list']>[0]> = {}) =>
      store.definitions.list({ tenantId, workflowId: null, limit: 50, offset: 0, ...changes });
    t.deepEqual(await list(), [revised, second, other]);
    t.deepEqual(await list({ workflowId: 'greet' }), [revised, second]);
    t.deepEqual(await list({ limit: 1, offset: 1 }), [second]);
    t.deepEqual(await list({ offset: 3 }), []);
    t.deepEqual(await list({ after: revised.definitionId }), [second, other]);
    t.deepEqual(await list({ limit: 1, after: second.definitionId }), [other]);
  });

  check('exposed are the workflows whose last definition says so', async (t, { store }) => {
    const tenantId = makeTenantId();
    const registerAs = (workflowId: string, version: string, rest: JsonObject) =>
      register(
        store,
        registration(tenantId, {
          workflowId,
          version,
          irHash: JSON.stringify([workflowId, version, rest]),
          ir: { workflow_id: workflowId, ...rest },
        }),
      );
    const expose = { a2a: true };
    await registerAs('b', '1', { expose, name: 'Bee', description: 'Größe ✓' });
    await registerAs('a', '1', { expose });
    await registerAs('hidden', '1', { expose: { a2a: false } });
    await registerAs('silent', '1', { expose: { other: true } });
    await registerAs('withdrawn', '1', { expose });
    await registerAs('withdrawn', '2', {});
    await registerAs('shown', '1', {});
    await registerAs('shown', '2', { expose, name: 'Shown' });
    await register(store, registration(makeTenantId(), { ir: { expose } }));
    const plain = { name: null, description: null };
    const all = [
      { workflowId: 'a', version: '1', ...plain },
      { workflowId: 'b', version: '1', name: 'Bee', description: 'Größe ✓' },
      { workflowId: 'shown', version: '2', name: 'Shown', description: null },
    ];
    t.deepEqual(await store.definitions.listExposed({ tenantId, limit: 10 }), all);
    t.deepEqual(await store.definitions.listExposed({ tenantId, limit: 2 }), all.slice(0, 2));
  });

  check('a tenant with all the workflows it may have gets versions, no others', async (t, db) => {
    const { store } = db;
    const tenantId = makeTenantId();
    const with2 = (changes: Partial<Registration>) =>
      store.definitions.register(registration(tenantId, { workflowsMax: 2, ...changes }));
    t.is((await with2({ workflowId: 'a' }))?.revision, 1);
    t.is((await with2({ workflowId: 'b' }))?.revision, 1);
    t.is(await with2({ workflowId: 'c' }), null);
    t.is((await with2({ workflowId: 'a', version: '2.0.0' }))?.revision, 1);
    t.is((await with2({ workflowId: 'b', irHash: 'other' }))?.revision, 2);
    t.is((await with2({ workflowId: 'b', irHash: 'other' }))?.revision, 2);
    t.is((await with2({ workflowId: 'c', workflowsMax: null }))?.revision, 1);
    const elsewhere = registration(makeTenantId(), { workflowsMax: 1 });
    t.is((await store.definitions.register(elsewhere))?.revision, 1);
  });

  check('twenty new workflows at once never exceed what the tenant may have', async (t, db) => {
    const tenantId = makeTenantId();
    await db.store.tenants.create({ tenantId, name: 'limited', actorId: 'token:ci' });
    const rows = await atOnce(20, (index) =>
      db.store.definitions.register(
        registration(tenantId, { workflowId: `w${index}`, workflowsMax: 7 }),
      ),
    );
    t.is(rows.filter((row) => row !== null).length, 7);
  });
}

/** Registers a definition for which the tenant has room. */
async function register(store: Store, given: Registration): Promise<DefinitionRow> {
  const row = await store.definitions.register(given);
  if (row === null) throw new Error(`${given.workflowId} was refused`);
  return row;
}

function registration(tenantId: TenantId, changes: Partial<Registration> = {}): Registration {
  return {
    definitionId: makeDefinitionId(),
    tenantId,
    workflowId: 'greet',
    version: '1.0.0',
    irHash: 'hash',
    ir: { workflow_id: 'greet', nodes: {} },
    actorId: 'token:ci',
    ...changes,
  };
}
