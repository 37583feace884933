import test from 'ava';
import fc from 'fast-check';

import { hashJson } from '../../../../../src/shared/domain/canonical-json.ts';
import { createDocumentDigest } from '../../../../../src/shared/domain/execution/document/document-digest.ts';
import type { JsonObject, JsonValue } from '../../../../../src/shared/domain/json.ts';

const members = fc.dictionary(fc.string(), fc.jsonValue());

test('a document that is hashed piece by piece has the hash of the whole', (t) => {
  fc.assert(
    fc.property(members, fc.integer({ min: 1, max: 3 }), (document, size) => {
      const digest = createDocumentDigest();
      const names = Object.keys(document).toSorted((one, other) => (one < other ? -1 : 1));
      for (const name of names) {
        const value = document[name] as JsonValue;
        if (!Array.isArray(value)) {
          digest.member(name, value);
          continue;
        }
        const items = value as readonly JsonValue[];
        digest.list(name);
        for (let from = 0; from < items.length; from += size) {
          digest.items(items.slice(from, from + size));
        }
        digest.endList();
      }
      return digest.end() === hashJson(document as JsonObject);
    }),
  );
  t.pass();
});
