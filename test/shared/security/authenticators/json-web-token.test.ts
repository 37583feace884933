import {
  createHmac,
  generateKeyPairSync,
  sign,
  type KeyObject,
  type SignKeyObjectInput,
} from 'node:crypto';
import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import {
  createJsonWebTokens,
  type JsonWebTokenSettings,
} from '../../../../src/shared/security/authenticators/json-web-token.ts';
import { readPublicKey } from '../../../../src/shared/security/verification-keys.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const SECONDS = NOW / 1000;
const TOLERANCE = 30;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed25519 = generateKeyPairSync('ed25519');

const CLAIMS = {
  iss: 'https://issuer.example',
  aud: 'svc',
  sub: 'ada',
  exp: SECONDS + 300,
  role: 'developer',
  tenant: 'acme',
};
const ADA = { tenantId: 'acme', role: 'developer', tokenName: 'ada' };

test('a token of the issuer is its subject, role and tenant', async (t) => {
  t.deepEqual((await identify(signed(CLAIMS))) as unknown, ADA);
  t.like(await identify(signed({ ...CLAIMS, aud: ['other', 'svc'] })), ADA);
  t.like(await identify(signed({ ...CLAIMS, role: ['offline', 'developer'] })), ADA);
  t.like(await identify(signed({ ...CLAIMS, nbf: SECONDS, iat: SECONDS, jti: 'x' })), ADA);
});

for (const [name, pair, sign] of [
  ['ES256', p256, signed],
  ['EdDSA', ed25519, signed],
] as const) {
  test(`a key is used with its own algorithm: ${name}`, async (t) => {
    const keys = await readPublicKey(pem(pair.publicKey));
    t.deepEqual([...keys.algorithms], [name]);
    const good = sign(CLAIMS, { alg: name, key: pair.privateKey });
    t.like(await identify(good, { keys }), ADA);
    t.is(await identify(signed(CLAIMS), { keys }), null);
    t.is(await identify(good), null);
  });
}

test('claims may have other names, and lie deeper', async (t) => {
  const { role: _, tenant: __, ...rest } = CLAIMS;
  const token = signed({
    ...rest,
    realm_access: { roles: ['user', 'reviewer'] },
    'https://svc.example/tenant': 'acme',
  });
  const settings = {
    roleClaim: 'realm_access.roles',
    tenantClaim: 'https://svc.example/tenant',
  };
  t.like(await identify(token, settings), { role: 'reviewer', tenantId: 'acme' });
  t.is(await identify(token), null);
  t.is(await identify(signed(CLAIMS), { roleClaim: 'role.length' }), null);
  t.is(await identify(signed(CLAIMS), { tenantClaim: '__proto__.tenant' }), null);
});

test('the clock of the issuer may be off by the tolerance, and no more', async (t) => {
  t.like(await identify(signed({ ...CLAIMS, exp: SECONDS - TOLERANCE + 1 })), ADA);
  t.is(await identify(signed({ ...CLAIMS, exp: SECONDS - TOLERANCE })), null);
  t.like(await identify(signed({ ...CLAIMS, nbf: SECONDS + TOLERANCE })), ADA);
  t.is(await identify(signed({ ...CLAIMS, nbf: SECONDS + TOLERANCE + 1 })), null);
  const strict = { clockToleranceSeconds: 0 };
  t.is(await identify(signed({ ...CLAIMS, exp: SECONDS }), strict), null);
  t.like(await identify(signed({ ...CLAIMS, exp: SECONDS + 1 }), strict), ADA);
});

/** None of these is a valid token. */
const CORPUS: Readonly<Record<string, () => string>> = {
  'no signature, alg none': () => `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`,
  'alg None': () => `${encode({ alg: 'None' })}.${encode(CLAIMS)}.`,
  'alg none with the signature of another alg': () =>
    `${encode({ alg: 'none' })}.${encode(CLAIMS)}.${signed(CLAIMS).split('.')[2]}`,
  'no alg': () => `${encode({ typ: 'JWT' })}.${encode(CLAIMS)}.`,
  'alg that is no text': () => signed(CLAIMS, { header: { alg: ['RS256'] } }),
  'HS256 with the public key for a secret': () => hmac('HS256', pem(rsa.publicKey)),
  'HS256 with the public key in DER for a secret': () =>
    hmac('HS256', rsa.publicKey.export({ type: 'spki', format: 'der' })),
  'HS256 with an empty secret': () => hmac('HS256', ''),
  'HS512 with the public key for a secret': () => hmac('HS512', pem(rsa.publicKey), 'sha512'),
  'another RSA key': () => signed(CLAIMS, { key: otherRsa.privateKey }),
  'RS256 in the header over an EC signature': () =>
    signed(CLAIMS, { key: p256.privateKey, header: { alg: 'RS256' } }),
  RS512: () => signed(CLAIMS, { header: { alg: 'RS512' } }),
  PS256: () => signed(CLAIMS, { header: { alg: 'PS256' } }),
  'a key in the header': () =>
    signed(CLAIMS, {
      key: otherRsa.privateKey,
      header: { jwk: otherRsa.publicKey.export({ format: 'jwk' }) as JsonObject },
    }),
  'a key URL in the header': () =>
    signed(CLAIMS, {
      key: otherRsa.privateKey,
      header: { jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x5u' },
    }),
  'a critical extension nobody knows': () => signed(CLAIMS, { header: { crit: ['x'], x: 1 } }),
  'an unencoded payload': () => signed(CLAIMS, { header: { crit: ['b64'], b64: false } }),
  'a changed payload': () => {
    const [header, , signature] = signed(CLAIMS).split('.');
    return `${header}.${encode({ ...CLAIMS, role: 'operator' })}.${signature}`;
  },
  'a signature cut short': () => signed(CLAIMS).slice(0, -4),
  'no expiry': () => signed({ ...CLAIMS, exp: undefined }),
  'an expiry in words': () => signed({ ...CLAIMS, exp: 'never' }),
  'an expiry in the past': () => signed({ ...CLAIMS, exp: SECONDS - 3600 }),
  'not valid yet': () => signed({ ...CLAIMS, nbf: SECONDS + 3600 }),
  'no issuer': () => signed({ ...CLAIMS, iss: undefined }),
  'another issuer': () => signed({ ...CLAIMS, iss: 'https://issuer.example.evil' }),
  'no audience': () => signed({ ...CLAIMS, aud: undefined }),
  'another audience': () => signed({ ...CLAIMS, aud: ['svc2'] }),
  'no subject': () => signed({ ...CLAIMS, sub: undefined }),
  'an empty subject': () => signed({ ...CLAIMS, sub: '' }),
  'a subject that is no text': () => signed({ ...CLAIMS, sub: 5 }),
  'a subject with a line end': () => signed({ ...CLAIMS, sub: 'ada\nrole=operator' }),
  'a subject without end': () => signed({ ...CLAIMS, sub: 'x'.repeat(256) }),
  'the subject of the API key': () => signed({ ...CLAIMS, sub: 'api-key' }),
  'no role': () => signed({ ...CLAIMS, role: undefined }),
  'an unknown role': () => signed({ ...CLAIMS, role: 'admin' }),
  'a role in capitals': () => signed({ ...CLAIMS, role: 'Operator' }),
  'two roles': () => signed({ ...CLAIMS, role: ['viewer', 'operator'] }),
  'a role that is an object': () => signed({ ...CLAIMS, role: { operator: true } }),
  'no tenant': () => signed({ ...CLAIMS, tenant: undefined }),
  'a tenant that is none': () => signed({ ...CLAIMS, tenant: 'Acme Inc' }),
  'a list of tenants': () => signed({ ...CLAIMS, tenant: ['acme'] }),
  'a payload that is a list': () => signed([] as unknown as JsonObject),
  'no JSON': () => `${encode({ alg: 'RS256' })}.eA.eA`,
  'two parts': () => signed(CLAIMS).split('.').slice(0, 2).join('.'),
  'five parts': () => `${signed(CLAIMS)}.eA.eA`,
  'empty parts': () => '..',
  'nine kilobytes': () => signed({ ...CLAIMS, filler: 'x'.repeat(9_000) }),
};

for (const [title, make] of Object.entries(CORPUS)) {
  test(`nobody: ${title}`, async (t) => {
    t.is(await identify(make()), null);
  });
}

test('a key of another kind is refused when it is read', async (t) => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  for (const { publicKey } of [weak, curve]) {
    await t.throwsAsync(readPublicKey(pem(publicKey)), { message: /expected an RSA key/ });
  }
  await t.throwsAsync(readPublicKey('no key'));
});

async function identify(token: string, settings: Partial<JsonWebTokenSettings> = {}) {
  const scheme = createJsonWebTokens({
    issuer: 'https://issuer.example',
    audience: 'svc',
    keys: await readPublicKey(pem(rsa.publicKey)),
    roleClaim: 'role',
    tenantClaim: 'tenant',
    clockToleranceSeconds: TOLERANCE,
    currentDate: () => new Date(NOW),
    ...settings,
  });
  return scheme.recognises(token) ? scheme.identify(token) : null;
}

/** Signed by hand, because a library refuses to create most of these. */
function signed(
  claims: Readonly<Record<string, unknown>>,
  options: {
    readonly alg?: string;
    readonly key?: KeyObject;
    readonly header?: JsonObject;
  } = {},
): string {
  const { alg = 'RS256', key = rsa.privateKey, header = {} } = options;
  const content = `${encode({ alg, typ: 'JWT', ...header })}.${encode(claims)}`;
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const input: SignKeyObjectInput = { key, dsaEncoding: 'ieee-p1363' };
  return `${content}.${sign(digest, Buffer.from(content), input).toString('base64url')}`;
}

function hmac(alg: string, secret: string | Buffer, digest = 'sha256'): string {
  const content = `${encode({ alg, typ: 'JWT' })}.${encode(CLAIMS)}`;
  return `${content}.${createHmac(digest, secret).update(content).digest('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function pem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}
