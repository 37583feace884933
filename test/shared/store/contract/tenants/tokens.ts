import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { NewToken } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { makeKey, makeTenantId, makeUuid } from '../make.ts';

const HOUR_MS = 60 * 60 * 1000;
const ACTOR = 'token:ops';

export function tokenCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a token is found by the hash of its plaintext', async (t, { store }) => {
    const given = makeToken(makeTenantId(), { role: 'reviewer', name: 'Prüfung' });
    const row = await store.tokens.create(given);
    const { hash, expiresInMs: _, actorId: __, ...rest } = given;
    t.deepEqual(row, {
      ...rest,
      createdAt: row.createdAt,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
      expired: false,
    });
    t.deepEqual(await store.tokens.findByHash(hash), row);
    t.is(await store.tokens.findByHash(makeKey()), null);
  });

  check('a token expires by the clock of the database', async (t, { store, age }) => {
    const token = makeToken(makeTenantId(), { expiresInMs: HOUR_MS });
    const row = await store.tokens.create(token);
    t.is(Date.parse(row.expiresAt ?? '') - Date.parse(row.createdAt), HOUR_MS);
    t.false((await store.tokens.findByHash(token.hash))?.expired);
    await age({ table: 'tokens', columns: ['expires_at'], byMs: HOUR_MS });
    t.true((await store.tokens.findByHash(token.hash))?.expired);
  });

  check('a token that lives no time is expired at once', async (t, { store }) => {
    const token = makeToken(makeTenantId(), { expiresInMs: 0 });
    await store.tokens.create(token);
    t.true((await store.tokens.findByHash(token.hash))?.expired);
  });

  check('a revoked token is still found, revoked when it first was', async (t, database) => {
    const { store } = database;
    const token = makeToken(makeTenantId());
    await store.tokens.create(token);
    t.truthy((await store.tokens.revoke(token.tokenId, token.tenantId, ACTOR))?.revokedAt);
    await database.age({ table: 'tokens', columns: ['revoked_at'], byMs: HOUR_MS });
    const revoked = await store.tokens.findByHash(token.hash);
    t.deepEqual(await store.tokens.revoke(token.tokenId, token.tenantId, ACTOR), revoked);
    t.deepEqual(await store.tokens.findByHash(token.hash), revoked);
  });

  check("no tenant revokes another's token", async (t, { store }) => {
    const token = makeToken(makeTenantId());
    await store.tokens.create(token);
    t.is(await store.tokens.revoke(token.tokenId, makeTenantId(), ACTOR), null);
    t.is(await store.tokens.revoke(makeUuid(), token.tenantId, ACTOR), null);
    t.is((await store.tokens.findByHash(token.hash))?.revokedAt, null);
  });

  check('tokens are listed newest first, for one tenant, in pages', async (t, { store }) => {
    const tenantId = makeTenantId();
    await store.tokens.create(makeToken(makeTenantId()));
    const rows = [];
    for (let index = 0; index < 3; index += 1) {
      rows.unshift(await store.tokens.create(makeToken(tenantId)));
    }
    const list = (limit: number, offset: number) => store.tokens.list({ tenantId, limit, offset });
    t.deepEqual(await list(10, 0), rows);
    t.deepEqual(await list(2, 0), rows.slice(0, 2));
    t.deepEqual(await list(2, 2), rows.slice(2));
    const after = rows[0] ?? null;
    const next = await store.tokens.list({ tenantId, after, limit: 10, offset: 0 });
    t.deepEqual(next, rows.slice(1));
    t.is(await store.tokens.count({ tenantId }), 3);
  });

  check('no two tokens have the same hash', async (t, { store }) => {
    const token = makeToken(makeTenantId());
    await store.tokens.create(token);
    await t.throwsAsync(store.tokens.create({ ...token, tokenId: makeUuid() }));
  });
}

function makeToken(tenantId: TenantId, changes: Partial<NewToken> = {}): NewToken {
  return {
    tokenId: makeUuid(),
    tenantId,
    name: 'ci',
    role: 'developer',
    hash: makeKey(),
    expiresInMs: null,
    actorId: ACTOR,
    ...changes,
  };
}
