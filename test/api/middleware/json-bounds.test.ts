import test from 'ava';

import { checkJsonBody, NESTING_MAX } from '../../../src/api/middleware/json-bounds.ts';
import { userObject } from '../../../src/api/schemas/json-values.ts';
import type { JsonValue } from '../../../src/shared/domain/json.ts';

test('64 levels are taken, 65 are not', (t) => {
  const levels = (count: number): JsonValue =>
    Array.from({ length: count }).reduce<JsonValue>((inner) => ({ inner }), 'core');
  t.notThrows(() => checkJsonBody(levels(NESTING_MAX)));
  t.throws(() => checkJsonBody(levels(NESTING_MAX + 1)), {
    message: 'bad request: the body is nested deeper than 64 levels',
  });
});

test('all Unicode text is taken but U+0000 and lone surrogates', (t) => {
  for (const text of ['', '\u0001', '\ufffd', '\uffff', '😀', '\u{10ffff}']) {
    t.notThrows(() => checkJsonBody({ [text]: text }));
  }
  for (const text of ['\0', 'a\0b', '\ud83d', '\ude00\ud83d', '😀\ud83d']) {
    t.throws(() => checkJsonBody({ a: [text] }));
    t.throws(() => checkJsonBody({ [text]: 1 }));
  }
});

test('numbers of a state are those that come back as they were', (t) => {
  const takes = (n: number) => userObject.safeParse({ a: [{ n }] }).success;
  for (const n of [0, -0, 0.1, 1e-300, 2 ** 53 - 1, -(2 ** 53) + 1]) t.true(takes(n), String(n));
  for (const n of [2 ** 53, -(2 ** 53), 1e300, Infinity]) t.false(takes(n), String(n));
});

test('a key of a prototype is refused with its place, its text as a value is not', (t) => {
  t.true(userObject.safeParse({ a: ['constructor', { b: '__proto__' }] }).success);
  t.true(userObject.safeParse({ constructors: 1, proto: 2 }).success);
  const parsed = userObject.safeParse({ a: [{ prototype: 1 }] });
  t.is(parsed.error?.issues[0]?.message, 'holds the key prototype at /a/0, which is not allowed');
});
