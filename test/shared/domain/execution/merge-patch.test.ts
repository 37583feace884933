import test from 'ava';

import { inlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import { mergePatch } from '../../../../src/shared/domain/execution/merge-patch.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';

const made = inlineReference({ hash: 'a'.repeat(64), size: 70_000 });
const sent = { $artifact: `sha256:${'b'.repeat(64)}`, size: 10, content_type: 'text/csv' };

test('patches are merged as in the appendix of RFC 7396', (t) => {
  const cases: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [target, patch, result] of cases) t.deepEqual(mergePatch(target, patch), result);
});

test('a reference replaces the earlier value, and nothing of it is left', (t) => {
  for (const reference of [made, sent]) {
    for (const before of [{ deep: 1 }, made, sent, [1], 'text']) {
      t.deepEqual(mergePatch({ a: before }, { a: reference }), { a: reference });
    }
    t.deepEqual(mergePatch({ a: reference }, { a: null }), {});
    t.deepEqual(mergePatch({ a: reference }, { a: 'text' }), { a: 'text' });
  }
});

test('a patch of a client’s reference replaces it, as it would a text', (t) => {
  t.deepEqual(mergePatch({ a: sent }, { a: { b: 1 } }), { a: { b: 1 } });
});

test('patches of a value that is elsewhere are kept with it, in their order', (t) => {
  const once = mergePatch({ a: made }, { a: { b: 1, c: null } });
  const twice = mergePatch(once, { a: { c: { d: 2 } } });
  t.deepEqual(twice, { a: { ...made, patches: [{ b: 1, c: null }, { c: { d: 2 } }] } });
  t.deepEqual(once, { a: { ...made, patches: [{ b: 1, c: null }] } });
});
