import test from 'ava';

import {
  createSharedMemory,
  loadDotKernel,
} from '../../../../src/shared/domain/memory/dot-kernel.ts';
import {
  FORGOTTEN_AT,
  ORDINAL_AT,
  ROW_BYTES,
  scanVectors,
} from '../../../../src/shared/domain/memory/scan.ts';
import { encodeSketch, sketchQuery } from '../../../../src/shared/domain/memory/sketch.ts';
import {
  cosine,
  DIMENSIONS,
  type UnitVector,
} from '../../../../src/shared/domain/memory/vector.ts';
import { randomVector, seeded, vectorNear } from '../../../support/vectors.ts';

const ROWS_AT = DIMENSIONS * 2;

test('the kernel multiplies as JavaScript does', (t) => {
  const random = seeded(2);
  const memory = createSharedMemory({ initial: 1, maximum: 1 });
  const codes = new Int8Array(memory.buffer, ROWS_AT, DIMENSIONS);
  const asked = new Int16Array(memory.buffer, 0, DIMENSIONS);
  const dot = loadDotKernel(memory);
  for (let round = 0; round < 50; round += 1) {
    let expected = 0;
    for (let index = 0; index < DIMENSIONS; index += 1) {
      codes[index] = Math.floor(random() * 256) - 128;
      asked[index] = Math.floor(random() * 16_384) - 8192;
      expected += (codes[index] ?? 0) * (asked[index] ?? 0);
    }
    t.is(dot(ROWS_AT, 0), expected);
  }
});

test('the kernel reads the largest codes without overflow', (t) => {
  const memory = createSharedMemory({ initial: 1, maximum: 1 });
  new Int8Array(memory.buffer, ROWS_AT, DIMENSIONS).fill(-127);
  new Int16Array(memory.buffer, 0, DIMENSIONS).fill(8191);
  t.is(loadDotKernel(memory)(ROWS_AT, 0), -127 * 8191 * DIMENSIONS);
});

for (const [title, spread] of [
  ['far apart', 1],
  ['near each other', 0.05],
] as const) {
  test(`the nearest are always among the candidates: vectors ${title}`, (t) => {
    const random = seeded(3);
    const centre = randomVector(random);
    const vectors = Array.from({ length: 600 }, () =>
      vectorNear(centre, { random, distance: spread }),
    );
    for (let round = 0; round < 10; round += 1) {
      const query = vectorNear(centre, { random, distance: spread });
      for (const k of [1, 10, 100]) {
        const { ordinals, ceilings } = scan({ vectors, query, k });
        const nearest = vectors
          .map((vector, ordinal) => ({ ordinal, similarity: cosine(vector, query) }))
          .toSorted((left, right) => right.similarity - left.similarity)
          .slice(0, k);
        for (const { ordinal, similarity } of nearest) {
          const place = ordinals.indexOf(ordinal);
          t.not(place, -1);
          t.true((ceilings[place] ?? 0) >= similarity);
        }
        t.deepEqual(
          [...ceilings].toSorted((left, right) => right - left),
          [...ceilings],
        );
      }
    }
  });
}

test('candidates are few where vectors are far apart', (t) => {
  const random = seeded(4);
  const vectors = Array.from({ length: 2000 }, () => randomVector(random));
  const { ordinals } = scan({ vectors, query: randomVector(random), k: 10 });
  t.true(ordinals.length >= 10);
  t.true(ordinals.length < 60, `${ordinals.length}`);
});

test('a row that is marked is not compared', (t) => {
  const random = seeded(5);
  const vectors = Array.from({ length: 5 }, () => randomVector(random));
  const [query] = vectors;
  if (query === undefined) throw new Error('there is a first vector');
  const { ordinals } = scan({ vectors, query, k: 5, forgotten: [0] });
  t.deepEqual(ordinals.toSorted(), Float64Array.of(1, 2, 3, 4));
});

test('no rows, no candidates', (t) => {
  t.is(scan({ vectors: [], query: randomVector(seeded(6)), k: 3 }).ordinals.length, 0);
});

function scan(params: {
  readonly vectors: readonly UnitVector[];
  readonly query: UnitVector;
  readonly k: number;
  readonly forgotten?: readonly number[];
}) {
  const { vectors, query, k, forgotten = [] } = params;
  const pages = Math.ceil((ROWS_AT + vectors.length * ROW_BYTES) / 65_536);
  const memory = createSharedMemory({ initial: pages, maximum: pages });
  const view = new DataView(memory.buffer);
  const asked = sketchQuery(query);
  new Int16Array(memory.buffer, 0, DIMENSIONS).set(asked.codes);
  vectors.forEach((vector, ordinal) => {
    const row = ROWS_AT + ordinal * ROW_BYTES;
    new Uint8Array(memory.buffer, row).set(encodeSketch(vector));
    view.setUint32(row + ORDINAL_AT, ordinal, true);
    view.setUint32(row + FORGOTTEN_AT, forgotten.includes(ordinal) ? 1 : 0, true);
  });
  const { scale, error } = asked;
  const runs = Float64Array.of(ROWS_AT, vectors.length);
  return scanVectors({ memory, queryAt: 0, queryScale: scale, queryError: error, runs, k });
}
