import test from 'ava';

import { cascadeOf, clampK, parseFactId } from '../../../../src/shared/domain/memory/fact.ts';
import { toUnitVector } from '../../../../src/shared/domain/memory/vector.ts';

test('a recall reads the scopes from the narrowest to the widest', (t) => {
  const cascade = (agentId: string | null, endUserId: string | null) =>
    cascadeOf({ agentId, endUserId }).map((scope) => [scope.agentId, scope.endUserId]);
  t.deepEqual(cascade('A', 'U'), [
    ['A', 'U'],
    ['A', null],
    [null, 'U'],
    [null, null],
  ]);
  t.deepEqual(cascade('A', null), [
    ['A', null],
    [null, null],
  ]);
  t.deepEqual(cascade(null, 'U'), [
    [null, 'U'],
    [null, null],
  ]);
  t.deepEqual(cascade(null, null), [[null, null]]);
});

test('k lies between 1 and 100, and is 10 when not given', (t) => {
  t.deepEqual([null, -5, 0, 1, 10, 100, 101, 1e9].map(clampK), [10, 1, 1, 1, 10, 100, 100, 100]);
});

test('a fact’s id is a UUID in any case', (t) => {
  const id = '0198f3a2-7c11-7d22-8e33-0123456789ab';
  t.is(parseFactId(id.toUpperCase()), id);
  for (const text of ['', 'x', id.slice(1), `${id}0`, id.replaceAll('-', '')]) {
    t.is(parseFactId(text), null);
  }
});

test('only 1536 finite numbers, not all zero, are a vector', (t) => {
  const good = Array.from({ length: 1536 }, (_, index) => index);
  t.truthy(toUnitVector(good));
  t.is(toUnitVector(good.slice(1)), null);
  t.is(toUnitVector([...good, 1]), null);
  t.is(toUnitVector(good.fill(0)), null);
  t.is(toUnitVector(good.with(5, Number.NaN)), null);
  t.is(toUnitVector(good.with(5, Infinity)), null);
  t.is(toUnitVector(good.with(5, 1e300)), null);
});
