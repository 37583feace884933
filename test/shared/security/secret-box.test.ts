import { randomBytes } from 'node:crypto';
import test from 'ava';

import type { TenantId } from '../../../src/shared/domain/ids.ts';
import {
  createSecretBox,
  idOfKey,
  parseEncryptionKey,
} from '../../../src/shared/security/secret-box.ts';

const tenantId = 'acme' as TenantId;

test('a sealed value opens, and shows nothing of the secret', (t) => {
  const box = boxWith(randomBytes(32));
  const sealed = box.seal({ tenantId, secret: 'sk-ein geheimnis ✓' });
  t.is(box.open({ tenantId, sealed }), 'sk-ein geheimnis ✓');
  t.false(Buffer.from(sealed.box, 'base64').toString('latin1').includes('sk-'));
});

test('no two boxes of one secret are alike', (t) => {
  const box = boxWith(randomBytes(32));
  const boxes = Array.from({ length: 100 }, () => box.seal({ tenantId, secret: 'x' }).box);
  t.is(new Set(boxes).size, 100);
});

test('a box opens for its tenant and under its key’s name only', (t) => {
  const box = boxWith(randomBytes(32));
  const sealed = box.seal({ tenantId, secret: 'x' });
  t.is(box.open({ tenantId: 'other' as TenantId, sealed }), null);
  t.is(box.open({ tenantId, sealed: { ...sealed, keyId: '0'.repeat(16) } }), null);
  t.is(boxWith(randomBytes(32)).open({ tenantId, sealed }), null);
});

test('a box that was changed in any byte, or cut, does not open', (t) => {
  const box = boxWith(randomBytes(32));
  const sealed = box.seal({ tenantId, secret: 'secret' });
  const bytes = Buffer.from(sealed.box, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    t.is(box.open({ tenantId, sealed: { ...sealed, box: changed.toString('base64') } }), null);
  }
  for (const length of [0, 5, 12, 20, 28, bytes.length - 1]) {
    const cut = bytes.subarray(0, length).toString('base64');
    t.is(box.open({ tenantId, sealed: { ...sealed, box: cut } }), null);
  }
});

test('the newest key seals, and older ones still open', (t) => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const before = boxWith(older).seal({ tenantId, secret: 'x' });
  const box = boxWith(newer, older);
  t.is(box.open({ tenantId, sealed: before }), 'x');
  t.is(box.seal({ tenantId, secret: 'x' }).keyId, idOfKey(newer));
  t.is(box.currentKeyId(), idOfKey(newer));
});

test('without a key nothing is sealed, and the error says how to make one', (t) => {
  const error = t.throws(() => boxWith().seal({ tenantId, secret: 'sk-secret' }));
  t.regex(error.message, /SVC_ENCRYPTION_KEY .*openssl rand -base64 32/);
  t.false(error.message.includes('sk-secret'));
});

test('a key is 32 bytes of base64', (t) => {
  const key = randomBytes(32);
  t.deepEqual(Buffer.from(parseEncryptionKey(`${key.toString('base64')}\n`) ?? []), key);
  for (const text of ['', 'x', randomBytes(31).toString('base64'), key.toString('hex')]) {
    t.is(parseEncryptionKey(text), null);
  }
});

function boxWith(...keys: readonly Uint8Array[]) {
  const known = { all: () => keys, newest: () => keys[0] ?? null };
  return createSecretBox({ keys: known, randomBytes });
}
