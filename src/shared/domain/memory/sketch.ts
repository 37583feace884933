import { DIMENSIONS, type UnitVector } from './vector.ts';

/*
 * A sketch stands for a unit vector x in a quarter of its bytes: x = s·c + e, where c are 8-bit
 * codes, s is a scale and |e| is known. A query y is taken apart in the same way with 14-bit codes,
 * y = t·d + f. Then
 *
 *   x·y = s·t·(c·d) + s·c·f + e·y   and   |s·c·f + e·y| ≤ (1 + |e|)·|f| + |e|
 *
 * by the Cauchy–Schwarz inequality. So the integer product c·d gives the cosine within an error
 * that is known for each pair, about 0.01, and vectors that cannot be among the nearest by that
 * bound need not be read. The nearest are then the same as if every vector had been compared.
 */

/** Codes, then scale and length of the error as little-endian float32. */
export const SKETCH_BYTES = DIMENSIONS + 8;
export const SCALE_AT = DIMENSIONS;
export const ERROR_AT = DIMENSIONS + 4;

const CODE_MAX = 127;
/** The largest for which a product of `DIMENSIONS` codes always fits 32 bits. */
const QUERY_CODE_MAX = 8191;
/** Above what single precision loses anywhere on the way. */
const ROUNDING = 1e-6;

export function encodeSketch(vector: UnitVector): Uint8Array {
  const { scale, error, codes } = quantise(vector, CODE_MAX);
  const bytes = new Uint8Array(SKETCH_BYTES);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < DIMENSIONS; index += 1) view.setInt8(index, codes[index] ?? 0);
  view.setFloat32(SCALE_AT, scale, true);
  view.setFloat32(ERROR_AT, error, true);
  return bytes;
}

/** A query as the kernel takes it. */
export interface QuerySketch {
  readonly codes: Int16Array;
  readonly scale: number;
  readonly error: number;
}

export function sketchQuery(vector: UnitVector): QuerySketch {
  return quantise(vector, QUERY_CODE_MAX);
}

/** How far the cosine can be from `scale · scale · product`. */
export function errorBound(sketchError: number, queryError: number): number {
  return (1 + sketchError) * queryError + sketchError + ROUNDING;
}

/** The scale is rounded before the error is measured, so that the error is that of what is stored. */
function quantise(vector: UnitVector, codeMax: number): QuerySketch {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  // Rounded up, so that no code lies above the largest.
  const scale = Math.fround((largest / codeMax) * (1 + 2 ** -22));
  const codes = new Int16Array(DIMENSIONS);
  let squares = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    const value = vector[index] ?? 0;
    const code = Math.round(value / scale);
    codes[index] = code;
    squares += (value - code * scale) ** 2;
  }
  return { codes, scale, error: Math.fround(Math.sqrt(squares) * (1 + 2 ** -20)) };
}
