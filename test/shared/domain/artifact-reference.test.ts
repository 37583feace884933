import test from 'ava';
import fc from 'fast-check';

import {
  inlineReference,
  isInlineReference,
  patchesOf,
} from '../../../src/shared/domain/artifact-reference.ts';
import { mergePatch, patchValue } from '../../../src/shared/domain/execution/merge-patch.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';

const REFERENCE = inlineReference({ hash: 'a'.repeat(64), size: 9 });

const key = fc.constantFrom('a', 'b', 'c');
const valueOf = (...leaves: JsonValue[]) =>
  fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>(null, 1, 'x', [1], ...leaves),
      fc.dictionary(key, tie('value')) as fc.Arbitrary<JsonValue>,
    ),
  })).value;
const patch = fc.dictionary(key, valueOf(REFERENCE)) as fc.Arbitrary<JsonObject>;

/** The value as readers get it, with `content` under the hash. */
function read(kept: JsonValue, content: JsonValue): JsonValue {
  return patchesOf(kept as typeof REFERENCE).reduce<JsonValue>(patchValue, content);
}

/** The content of `REFERENCE` inside a patch. */
const NESTED = { a: 'deep', b: { c: 'deeper', a: 2 } };

/** Resolves every reference, because the form in which patches are joined does not matter. */
function whole(value: JsonValue): JsonValue {
  if (isInlineReference(value)) return whole(read(value, NESTED));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, whole(part)]));
}

test('patches of a detached state read as if they were in it', (t) => {
  fc.assert(
    fc.property(valueOf(), fc.array(patch, { minLength: 1, maxLength: 5 }), (content, patches) => {
      let kept: JsonObject = { k: REFERENCE };
      let there: JsonValue = content;
      for (const one of patches) {
        kept = mergePatch(kept, { k: one });
        there = patchValue(there, one);
      }
      t.deepEqual(whole(read(kept['k'] ?? null, content)), whole(there));
    }),
    { numRuns: 1_000 },
  );
});

test('a loop that patches the same value for ever leaves one patch', (t) => {
  let kept: JsonObject = { k: REFERENCE };
  for (let n = 0; n < 100; n += 1)
    kept = mergePatch(kept, { k: { n, at: { last: n, [n]: null } } });
  const patches = patchesOf(kept['k'] as typeof REFERENCE);
  t.is(patches.length, 1);
  t.like(patches[0], { n: 99, at: { last: 99, 0: null } });
});
