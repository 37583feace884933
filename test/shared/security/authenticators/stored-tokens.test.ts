import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';

import { createIds } from '../../../../src/shared/clients/system-ids.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { createAuthenticator } from '../../../../src/shared/security/authenticator.ts';
import {
  createStoredTokens,
  REMEMBER_MS,
  REMEMBERED_MAX,
} from '../../../../src/shared/security/authenticators/stored-tokens.ts';
import { hashToken } from '../../../../src/shared/domain/token.ts';
import { createToken } from '../../../../src/shared/engine/tokens/create-token.ts';
import type { TokenStore } from '../../../../src/shared/store/store.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';

const test = anyTest as TestFn<{ database: TestStore }>;
const ACME = 'acme' as TenantId;
let storeTime = Date.UTC(2026, 10, 21);

test.before(async (t) => {
  t.context.database = await openTestStore('sqlite', { clock: () => storeTime });
});

test.after.always((t) => t.context.database.close());

function mint(database: TestStore, expiresInMs: number | null = null) {
  const ids = createIds({ now: Date.now, randomBytes });
  return createToken(
    { store: database.store, ids, randomBytes },
    { tenantId: ACME, actorId: 'token:ops' },
    { name: 'ci', role: 'developer', expiresInMs },
  );
}

/** Checks stored tokens as the service does: by the header of a request. */
function accept(params: Parameters<typeof createStoredTokens>[0]) {
  const stored = createStoredTokens(params);
  const authenticator = createAuthenticator({
    bearers: [stored],
    identifyCertificate: null,
    forget: () => stored.forget(),
    close: async () => {},
  });
  return {
    authenticate: (authorization: string | undefined) =>
      authenticator.authenticate({ authorization, certificate: () => null }),
    forget: () => authenticator.forget(),
  };
}

/** The store's tokens, with a record of every lookup. */
function counted(
  tokens: TokenStore,
): Pick<TokenStore, 'findByHash'> & { readonly lookUps: string[] } {
  const lookUps: string[] = [];
  return {
    findByHash: (hash) => {
      lookUps.push(hash);
      return tokens.findByHash(hash);
    },
    lookUps,
  };
}

test('a token is svc_ and 32 random bytes, and only its hash is stored', async (t) => {
  const { plaintext } = await mint(t.context.database);
  t.regex(plaintext, /^svc_[A-Za-z0-9_-]{43}$/);
  const stored = JSON.stringify(await t.context.database.contents());
  t.false(stored.includes(plaintext));
  t.true(stored.includes(hashToken(plaintext)));
});

test('names of built-in identities cannot be taken', async (t) => {
  const { store } = t.context.database;
  const ids = createIds({ now: Date.now, randomBytes });
  for (const name of ['api-key', 'dev']) {
    await t.throwsAsync(
      createToken(
        { store, ids, randomBytes },
        { tenantId: ACME, actorId: 'token:ops' },
        { name, role: 'viewer', expiresInMs: null },
      ),
      { message: `bad request: name: ${name} is reserved, choose another` },
    );
  }
});

test('a stored token is its name, role and tenant', async (t) => {
  const { plaintext } = await mint(t.context.database);
  const { tokens } = t.context.database.store;
  const authenticator = accept({ tokens, apiKey: null, now: () => 0 });
  const expected = { tenantId: ACME, role: 'developer', tokenName: 'ci' } as const;
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    t.like(await authenticator.authenticate(`${scheme} ${plaintext}`), expected);
  }
  t.like(await authenticator.authenticate(`Bearer   ${plaintext} `), expected);
});

test('everything else is nobody', async (t) => {
  const { plaintext } = await mint(t.context.database);
  const { tokens } = t.context.database.store;
  const authenticator = accept({ tokens, apiKey: 'key', now: () => 0 });
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    plaintext,
    `Basic ${plaintext}`,
    `Bearer ${plaintext} ${plaintext}`,
    `Bearer ${plaintext}x`,
    `Bearer ${plaintext.toUpperCase()}`,
    `Bearer ${hashToken(plaintext)}`,
    `Bearer svc_${'a'.repeat(43)}`,
    'Bearer KEY',
    'Bearer key2',
  ];
  for (const header of headers) {
    t.is(await authenticator.authenticate(header), null, String(header));
  }
});

test('the API key is an operator of the default tenant, and is never looked up', async (t) => {
  const tokens = counted(t.context.database.store.tokens);
  const authenticator = accept({ tokens, apiKey: 'a key', now: () => 0 });
  t.is(await authenticator.authenticate('Bearer a key'), null, 'a space ends the token');
  const spaceless = accept({ tokens, apiKey: 'a-key', now: () => 0 });
  t.deepEqual(await spaceless.authenticate('Bearer a-key'), {
    tenantId: 'default' as TenantId,
    role: 'operator',
    tokenName: 'api-key',
  });
  t.deepEqual(tokens.lookUps, []);
});

test('a token is looked up once in its time, however many ask', async (t) => {
  const { plaintext } = await mint(t.context.database);
  const tokens = counted(t.context.database.store.tokens);
  let now = 1_000;
  const authenticator = accept({ tokens, apiKey: null, now: () => now });
  const ask = () => authenticator.authenticate(`Bearer ${plaintext}`);
  t.true(
    (await Promise.all(Array.from({ length: 20 }, ask))).every((identity) => identity !== null),
  );
  now += REMEMBER_MS - 1;
  await ask();
  t.is(tokens.lookUps.length, 1);
  now += 1;
  await ask();
  t.is(tokens.lookUps.length, 2);
});

test('a revocation elsewhere holds after the time of the cache, one here at once', async (t) => {
  const { database } = t.context;
  const tokens = database.store.tokens;
  const { plaintext, row } = await mint(database);
  let now = 0;
  const here = accept({ tokens, apiKey: null, now: () => now });
  const elsewhere = accept({ tokens, apiKey: null, now: () => now });
  const header = `Bearer ${plaintext}`;
  await Promise.all([here.authenticate(header), elsewhere.authenticate(header)]);
  await tokens.revoke(row.tokenId, ACME, 'token:ops');
  here.forget();
  t.is(await here.authenticate(header), null);
  t.not(await elsewhere.authenticate(header), null);
  now += REMEMBER_MS;
  t.is(await elsewhere.authenticate(header), null);
});

test('the cache says whose tokens it holds, and counts a look-up under way as anyone’s', async (t) => {
  const { database } = t.context;
  const { plaintext, row } = await mint(database);
  const stored = createStoredTokens({
    tokens: database.store.tokens,
    apiKey: null,
    now: () => 0,
  });
  t.false(stored.remembers(row.tokenId));
  const asked = stored.identify(plaintext);
  t.true(stored.remembers('another'), 'the look-up is under way');
  await asked;
  t.true(stored.remembers(row.tokenId));
  t.false(stored.remembers('another'));
  stored.forget();
  t.false(stored.remembers(row.tokenId));
});

test('an answer read before a revocation is not remembered after it', async (t) => {
  const { database } = t.context;
  const { plaintext, row } = await mint(database);
  const tokens = database.store.tokens;
  const authenticator = accept({ tokens, apiKey: null, now: () => 0 });
  const header = `Bearer ${plaintext}`;
  const before = authenticator.authenticate(header);
  const revoked = tokens.revoke(row.tokenId, ACME, 'token:ops');
  await revoked;
  authenticator.forget();
  await before;
  t.is(await authenticator.authenticate(header), null);
});

test('an expired token is nobody, by the clock of the database', async (t) => {
  const { database } = t.context;
  const { plaintext } = await mint(database, 60_000);
  let now = 0;
  const { tokens } = database.store;
  const authenticator = accept({ tokens, apiKey: null, now: () => now });
  const header = `Bearer ${plaintext}`;
  t.not(await authenticator.authenticate(header), null);
  storeTime += 60_000;
  now += REMEMBER_MS;
  t.is(await authenticator.authenticate(header), null);
});

test('unknown tokens are not remembered, so they evict nobody', async (t) => {
  const { plaintext } = await mint(t.context.database);
  const tokens = counted(t.context.database.store.tokens);
  const authenticator = accept({ tokens, apiKey: null, now: () => 0 });
  await authenticator.authenticate(`Bearer ${plaintext}`);
  for (let guess = 0; guess < REMEMBERED_MAX + 1; guess++) {
    const token = `svc_${String(guess).padStart(43, '0')}`;
    await authenticator.authenticate(`Bearer ${token}`);
  }
  const before = tokens.lookUps.length;
  await authenticator.authenticate(`Bearer ${plaintext}`);
  t.is(tokens.lookUps.length, before);
});

test('a failed look-up is not remembered', async (t) => {
  const { plaintext } = await mint(t.context.database);
  const { tokens } = t.context.database.store;
  let isAway = true;
  const authenticator = accept({
    tokens: {
      findByHash: (hash) => (isAway ? Promise.reject(new Error('away')) : tokens.findByHash(hash)),
    },
    apiKey: null,
    now: () => 0,
  });
  await t.throwsAsync(authenticator.authenticate(`Bearer ${plaintext}`), { message: 'away' });
  isAway = false;
  t.not(await authenticator.authenticate(`Bearer ${plaintext}`), null);
});
