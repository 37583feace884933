import test from 'ava';

import {
  encodeSketch,
  ERROR_AT,
  errorBound,
  SCALE_AT,
  sketchQuery,
} from '../../../../src/shared/domain/memory/sketch.ts';
import {
  cosine,
  DIMENSIONS,
  type UnitVector,
} from '../../../../src/shared/domain/memory/vector.ts';
import { axis, randomVector, seeded, unit, vectorNear } from '../../../support/vectors.ts';

const random = seeded(1);

/** Vectors of many shapes: noise, one axis, few large components, all alike, tiny tails. */
const SHAPES: readonly (readonly [string, () => UnitVector])[] = [
  ['noise', () => randomVector(random)],
  ['one axis', () => axis(7)],
  ['an axis backwards', () => unit(axis(7).map((value) => -value))],
  ['near an axis', () => vectorNear(axis(3), { random, distance: 0.01 })],
  ['all components alike', () => unit(new Float64Array(DIMENSIONS).fill(1))],
  [
    'alternating signs',
    () => unit(Float64Array.from({ length: DIMENSIONS }, (_, at) => (at % 2) - 0.5)),
  ],
  ['a steep slope', () => unit(Float64Array.from({ length: DIMENSIONS }, (_, at) => 0.97 ** at))],
];

for (const [left, makeLeft] of SHAPES) {
  for (const [right, makeRight] of SHAPES) {
    test(`the cosine lies within the bound: ${left} and ${right}`, (t) => {
      for (let round = 0; round < 20; round += 1) {
        const [fact, query] = [makeLeft(), makeRight()];
        const { estimate, bound } = compare(fact, query);
        t.true(Math.abs(estimate - cosine(fact, query)) <= bound);
      }
    });
  }
}

test('the bound is narrow enough to tell facts apart', (t) => {
  const { bound } = compare(randomVector(random), randomVector(random));
  t.true(bound < 0.02, `${bound}`);
});

test('the product of any two sketches fits 32 bits', (t) => {
  const even = unit(new Float64Array(DIMENSIONS).fill(1));
  const { product } = compare(even, even);
  t.true(product > 1e9);
  t.true(product < 2 ** 31);
});

function compare(fact: UnitVector, query: UnitVector) {
  const sketch = encodeSketch(fact);
  const view = new DataView(sketch.buffer);
  const asked = sketchQuery(query);
  let product = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    product += view.getInt8(index) * (asked.codes[index] ?? 0);
  }
  return {
    product,
    estimate: product * view.getFloat32(SCALE_AT, true) * asked.scale,
    bound: errorBound(view.getFloat32(ERROR_AT, true), asked.error),
  };
}
