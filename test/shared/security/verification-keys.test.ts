import { generateKeyPairSync, sign, type KeyPairKeyObjectResult } from 'node:crypto';
import test from 'ava';

import { createJsonWebTokens } from '../../../src/shared/security/authenticators/json-web-token.ts';
import { createRemoteKeys } from '../../../src/shared/security/verification-keys.ts';

const URL_OF_KEYS = 'https://issuer.example/jwks';

/** An issuer that publishes its keys, and counts requests. */
function openIssuer() {
  const published = new Map<string, KeyPairKeyObjectResult>();
  const issuer = {
    fetches: 0,
    /** Replaces the answer with its keys. */
    answer: null as (() => string) | null,
    publish(kid: string) {
      published.set(kid, generateKeyPairSync('ed25519'));
    },
    withdraw: (kid: string) => void published.delete(kid),
    token(kid: string | null, by: string = kid ?? ''): string {
      const pair = published.get(by) ?? generateKeyPairSync('ed25519');
      const header = { alg: 'EdDSA', ...(kid !== null && { kid }) };
      const claims = {
        iss: 'i',
        aud: 'a',
        sub: 'ada',
        exp: Math.floor(Date.now() / 1000) + 300,
        role: 'viewer',
        tenant: 'acme',
      };
      const content = [header, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign(null, Buffer.from(content), pair.privateKey);
      return `${content}.${signature.toString('base64url')}`;
    },
  };
  const keys = createRemoteKeys({
    url: URL_OF_KEYS,
    fetchText: async (url) => {
      if (url !== URL_OF_KEYS) throw new Error(`${url} was asked for`);
      issuer.fetches += 1;
      if (issuer.answer !== null) return issuer.answer();
      return JSON.stringify({
        keys: [...published].map(([kid, { publicKey }]) => ({
          ...publicKey.export({ format: 'jwk' }),
          kid,
          alg: 'EdDSA',
        })),
      });
    },
  });
  const scheme = createJsonWebTokens({
    keys,
    issuer: 'i',
    audience: 'a',
    roleClaim: 'role',
    tenantClaim: 'tenant',
    clockToleranceSeconds: 0,
    currentDate: () => new Date(),
  });
  return { issuer, identify: (token: string) => scheme.identify(token) };
}

test('keys are fetched once, however many tokens come', async (t) => {
  const { issuer, identify } = openIssuer();
  issuer.publish('one');
  const token = issuer.token('one');
  const all = await Promise.all(Array.from({ length: 20 }, () => identify(token)));
  t.true(all.every((identity) => identity?.tokenName === 'ada'));
  t.is(issuer.fetches, 1);
});

test('unknown key ids make nobody fetch again and again', async (t) => {
  const { issuer, identify } = openIssuer();
  issuer.publish('one');
  t.not(await identify(issuer.token('one')), null);
  for (const kid of ['two', '../one', "' or 1=1", '__proto__', 'x'.repeat(1_000)]) {
    t.is(await identify(issuer.token(kid, 'one')), null);
  }
  t.true(issuer.fetches <= 2);
});

test('a key id must be that of the key that signed', async (t) => {
  const { issuer, identify } = openIssuer();
  issuer.publish('one');
  issuer.publish('two');
  t.is(await identify(issuer.token('one', 'two')), null);
  t.is(await identify(issuer.token(null, 'one')), null, 'two keys could be meant');
});

test('503: without keys nobody can be judged, and the next one tries again', async (t) => {
  const { issuer, identify } = openIssuer();
  issuer.publish('one');
  const token = issuer.token('one');
  const answers = [
    () => {
      throw new Error('away');
    },
    () => '<html>',
    () => '{"keys": 5}',
    () => 'null',
  ];
  for (const answer of answers) {
    issuer.answer = answer;
    await t.throwsAsync(identify(token), { name: 'SvcError', code: 'unavailable' });
  }
  issuer.answer = null;
  t.like(await identify(token), { tokenName: 'ada' });
});

test('a key that is withdrawn before it was known is no key', async (t) => {
  const { issuer, identify } = openIssuer();
  issuer.publish('one');
  issuer.publish('two');
  const token = issuer.token('one');
  issuer.withdraw('one');
  t.is(await identify(token), null);
});
