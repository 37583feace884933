/** Dimensions of every embedding: those of the one model there is. */
export const DIMENSIONS = 1536;
export const VECTOR_BYTES = DIMENSIONS * 4;

/** A unit vector of `DIMENSIONS` float32 components, so that a dot product is a cosine. */
export type UnitVector = Float32Array & { readonly __brand: 'UnitVector' };

/** Null when the numbers are no embedding: of another length, not finite, or all of them zero. */
export function toUnitVector(values: ArrayLike<unknown>): UnitVector | null {
  if (values.length !== DIMENSIONS) return null;
  let squares = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    const value = values[index];
    if (typeof value !== 'number') return null;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) return null;
  const unit = new Float32Array(DIMENSIONS);
  for (let index = 0; index < DIMENSIONS; index += 1) {
    unit[index] = (values[index] as number) / length;
  }
  return unit as UnitVector;
}

/** Exact for what is stored: summed in double precision, within −1 and 1. */
export function cosine(left: UnitVector, right: UnitVector): number {
  let sum = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    sum += (left[index] ?? 0) * (right[index] ?? 0);
  }
  return Math.min(Math.max(sum, -1), 1);
}

/** Little-endian, as both stores keep it. */
export function encodeVector(vector: UnitVector): Uint8Array {
  const bytes = new Uint8Array(VECTOR_BYTES);
  const view = new DataView(bytes.buffer);
  vector.forEach((value, index) => view.setFloat32(index * 4, value, true));
  return bytes;
}

export function decodeVector(bytes: Uint8Array): UnitVector {
  if (bytes.length !== VECTOR_BYTES) throw new RangeError(`a vector of ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(DIMENSIONS);
  for (let index = 0; index < DIMENSIONS; index += 1) {
    vector[index] = view.getFloat32(index * 4, true);
  }
  return vector as UnitVector;
}
