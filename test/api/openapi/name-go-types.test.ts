import test from 'ava';

import { nameGoTypes } from '../../../src/api/openapi/name-go-types.ts';

const ANY = { 'x-go-type': 'any', 'x-go-type-skip-optional-pointer': true };

test('values of several types are any in Go, at every depth', (t) => {
  const several = { type: ['object', 'string', 'null'] };
  t.deepEqual(nameGoTypes({ paths: [{ items: several }] }), {
    paths: [{ items: { ...several, ...ANY } }],
  });
});

test('a type with null beside it has a Go type of its own', (t) => {
  const schema = { properties: { reason: { type: ['string', 'null'] }, at: { type: 'string' } } };
  t.deepEqual(nameGoTypes(schema), schema);
});

test('components for values of every type are any in Go', (t) => {
  t.deepEqual(nameGoTypes({ schemas: { AnyJson: { description: 'Any JSON.' } } }), {
    schemas: { AnyJson: { description: 'Any JSON.', ...ANY } },
  });
});
