import { randomBytes } from 'node:crypto';
import test from 'ava';

import { findKeyWeakness } from '../../../src/shared/security/find-key-weakness.ts';

for (const [key, weakness] of [
  ['a', /^is shorter than 24 characters$/],
  ['x'.repeat(23), /^is shorter/],
  ['k'.repeat(64), /repeats itself/],
  ['changeme'.repeat(4), /repeats itself/],
  ['secret-secret-secret-secret', /repeats itself/],
  ['abcdefghijklmnopqrstuvwxyz', /in a sequence/],
  ['0123456789012345678901234567', /repeats itself or runs in a sequence/],
  [`svc_${'0'.repeat(40)}1`, /repeats itself/],
] as const) {
  test(`${key} is refused`, (t) => {
    t.regex(findKeyWeakness(key) ?? 'accepted', weakness);
  });
}

test('keys as programs make them are accepted, with any content', (t) => {
  for (let round = 0; round < 2_000; round += 1) {
    for (const key of [
      randomBytes(12).toString('hex'),
      randomBytes(18).toString('base64url'),
      `svc_${randomBytes(32).toString('hex')}`,
    ]) {
      t.is(findKeyWeakness(key), null, key);
    }
  }
});
