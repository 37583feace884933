import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Store, TokenRow } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce } from '../drive.ts';
import { makeKey, makeTenantId, makeUuid } from '../make.ts';

const ACTOR = 'token:ci';
const HOUR_MS = 60 * 60 * 1000;

export function tokenRotationCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a rotated token is revoked, and another has its place', async (t, { store }) => {
    const old = await make(store, { expiresInMs: HOUR_MS });
    const next = { tokenId: makeUuid(), hash: makeKey() };
    const rotated = await rotate(store, old, { next });
    t.like(rotated.next, {
      tokenId: next.tokenId,
      tenantId: old.tenantId,
      name: old.name,
      role: old.role,
      revokedAt: null,
      replacedBy: null,
      expired: false,
    });
    t.is(lifetimeOf(rotated.next), HOUR_MS);
    t.deepEqual(await store.tokens.findByHash(next.hash), rotated.next);
    t.like(rotated.old, { tokenId: old.tokenId, replacedBy: next.tokenId });
    t.is(rotated.old.revokedAt, rotated.next.createdAt);
    t.is(rotated.old.expiresAt, old.expiresAt);
    const { items } = await store.audit.list({
      tenantId: old.tenantId,
      executionId: null,
      actorId: ACTOR,
      eventType: null,
      limit: 50,
      offset: 0,
    });
    t.deepEqual(
      items.map(({ eventType }) => eventType),
      ['token_rotated', 'token_created'],
    );
  });

  check('within a grace both are valid, and then the old one is not', async (t, database) => {
    const { store, age } = database;
    const hash = makeKey();
    const old = await make(store, { hash });
    const rotated = await rotate(store, old, { graceMs: HOUR_MS });
    t.is(rotated.old.revokedAt, null);
    t.is(Date.parse(rotated.old.expiresAt ?? ''), Date.parse(rotated.next.createdAt) + HOUR_MS);
    t.is(rotated.next.expiresAt, null);
    t.like(await store.tokens.findByHash(hash), { expired: false, revokedAt: null });
    await age({ table: 'tokens', columns: ['expires_at'], byMs: HOUR_MS });
    t.like(await store.tokens.findByHash(hash), { expired: true });
  });

  check('a grace makes no token live longer', async (t, { store }) => {
    const old = await make(store, { expiresInMs: HOUR_MS });
    const rotated = await rotate(store, old, { graceMs: 2 * HOUR_MS });
    t.is(rotated.old.expiresAt, old.expiresAt);
  });

  check('a revoked, expired or rotated token is not rotated', async (t, database) => {
    const { store } = database;
    const revoked = await make(store);
    await store.tokens.revoke(revoked.tokenId, revoked.tenantId, ACTOR);
    const expired = await make(store, { expiresInMs: 0 });
    const rotated = await make(store);
    await rotate(store, rotated, { graceMs: HOUR_MS });
    const before = await database.contents();
    for (const token of [revoked, expired, rotated]) {
      t.is(await tryRotate(store, token, { graceMs: HOUR_MS }), 'over');
    }
    t.is(await tryRotate(store, { ...revoked, tokenId: makeUuid() }), 'missing');
    t.is(await tryRotate(store, { ...revoked, tenantId: makeTenantId() }), 'missing');
    t.deepEqual(await database.contents(), before);
  });

  check('exactly one of twenty rotations at once is carried out', async (t, { store }) => {
    const old = await make(store);
    const outcomes = await atOnce(20, (index) =>
      tryRotate(store, old, { graceMs: index % 2 === 0 ? 0 : HOUR_MS }),
    );
    t.is(outcomes.filter((outcome) => outcome === 'over').length, 19);
    const { tenantId } = old;
    t.is((await store.tokens.list({ tenantId, limit: 100, offset: 0 })).length, 2);
  });

  check('the use of a token is noted, and not twice a minute', async (t, database) => {
    const { store, age } = database;
    const [used, unused] = [await make(store), await make(store)];
    const lastUse = async (token: TokenRow) => {
      const { tenantId } = token;
      const rows = await store.tokens.list({ tenantId, limit: 10, offset: 0 });
      return rows.find(({ tokenId }) => tokenId === token.tokenId)?.lastUsedAt ?? null;
    };
    t.is(used.lastUsedAt, null);
    await atOnce(20, () => store.tokens.noteUsed([used.tokenId, makeUuid()]));
    const first = await lastUse(used);
    t.true((first ?? '') >= used.createdAt);
    await age({ table: 'tokens', columns: ['last_used_at'], byMs: 50_000 });
    const aged = await lastUse(used);
    await store.tokens.noteUsed([used.tokenId]);
    t.is(await lastUse(used), aged);
    await age({ table: 'tokens', columns: ['last_used_at'], byMs: 10_001 });
    await store.tokens.noteUsed([used.tokenId]);
    t.true(((await lastUse(used)) ?? '') >= (first ?? ''));
    t.is(await lastUse(unused), null);
    await store.tokens.noteUsed([]);
  });
}

async function make(
  store: Store,
  changes: { readonly expiresInMs?: number; readonly hash?: string } = {},
): Promise<TokenRow> {
  return store.tokens.create({
    tokenId: makeUuid(),
    tenantId: makeTenantId(),
    name: 'ci',
    role: 'reviewer',
    hash: makeKey(),
    expiresInMs: null,
    actorId: ACTOR,
    ...changes,
  });
}

interface Rotation {
  readonly next?: { readonly tokenId: string; readonly hash: string };
  readonly graceMs?: number;
}

function tryRotate(
  store: Store,
  token: { readonly tokenId: string; readonly tenantId: TenantId },
  { next = { tokenId: makeUuid(), hash: makeKey() }, graceMs = 0 }: Rotation = {},
) {
  const { tokenId, tenantId } = token;
  return store.tokens.rotate({ tokenId, tenantId, next, graceMs, actorId: ACTOR });
}

async function rotate(store: Store, token: TokenRow, rotation: Rotation = {}) {
  const outcome = await tryRotate(store, token, rotation);
  if (typeof outcome === 'string') throw new Error(`the token is ${outcome}`);
  return outcome;
}

function lifetimeOf({ createdAt, expiresAt }: TokenRow): number {
  return Date.parse(expiresAt ?? '') - Date.parse(createdAt);
}
