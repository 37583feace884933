import {
  DIMENSIONS,
  toUnitVector,
  type UnitVector,
} from '../../src/shared/domain/memory/vector.ts';

/** Numbers from 0 to 1 that the seed alone determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A unit vector in a random direction. */
export function randomVector(random: () => number): UnitVector {
  return unit(Float64Array.from({ length: DIMENSIONS }, () => noise(random)));
}

/** A unit vector near another one; `distance` 0 gives the same. */
export function vectorNear(
  centre: UnitVector,
  { random, distance }: { readonly random: () => number; readonly distance: number },
): UnitVector {
  const away = randomVector(random);
  return unit(centre.map((value, index) => value + distance * (away[index] ?? 0)));
}

/** 1 in the direction of one axis. */
export function axis(index: number): UnitVector {
  return unit(Float64Array.from({ length: DIMENSIONS }, (_, at) => (at === index ? 1 : 0)));
}

export function unit(values: ArrayLike<number>): UnitVector {
  const vector = toUnitVector(values);
  if (vector === null) throw new Error('these numbers have no direction');
  return vector;
}

/** A rough normal distribution. */
function noise(random: () => number): number {
  return random() + random() + random() - 1.5;
}
