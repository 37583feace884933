import { DIMENSIONS } from './vector.ts';

/**
 * The product of a sketch's 8-bit codes with a query's 16-bit codes, both in one shared memory:
 * `dot(sketchAt, queryAt)`, offsets in bytes.
 *
 * It is WebAssembly because V8 does not vectorise loops of JavaScript: 16 codes are multiplied at a
 * time, 100 000 sketches in about 20 ms on one core where JavaScript takes 150. It is assembled here,
 * from the list below, so that it can be read and needs no compiler.
 */
export function loadDotKernel(memory: SharedMemory): DotKernel {
  compiled ??= new WebAssembly.Module(assemble());
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return exports['dot'] as DotKernel;
}

export type DotKernel = (sketchAt: number, queryAt: number) => number;

/** A memory that can be sent to another thread and is then the same memory there. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** By pages of 64 KiB. Throws when it would pass its maximum. */
  grow(pages: number): number;
}

export const MEMORY_PAGE_BYTES = 65_536;

export function createSharedMemory(pages: {
  readonly initial: number;
  readonly maximum: number;
}): SharedMemory {
  return new WebAssembly.Memory({ ...pages, shared: true });
}

/** The part of the standard that is used here; the compiler's libraries have it for browsers only. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (
      module: object,
      imports: { readonly env: { readonly memory: SharedMemory } },
    ) => { readonly exports: Readonly<Record<string, unknown>> };
    readonly Memory: new (options: {
      readonly initial: number;
      readonly maximum: number;
      readonly shared: true;
    }) => SharedMemory;
  };
};

let compiled: object | null = null;

const I32 = 0x7f;
const V128 = 0x7b;
const BLOCK_EMPTY = 0x40;
const END = 0x0b;
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const constant = (value: number) => [0x41, ...signed(value)];
const ADD = [0x6a];
const load = (offset: number) => [0xfd, 0x00, 0x00, offset];
const EXTEND_LOW = [0xfd, 0x87, 0x01];
const EXTEND_HIGH = [0xfd, 0x88, 0x01];
const DOT = [0xfd, 0xba, 0x01];
const ADD_LANES = [0xfd, 0xae, 0x01];
const lane = (index: number) => [0xfd, 0x1b, index];

const [SKETCH, QUERY, STOP, LOW, HIGH, CODES] = [0, 1, 2, 3, 4, 5] as const;

/** 16 codes a round: the lower eight are summed in LOW, the upper eight in HIGH. */
const BODY = [
  [...get(SKETCH), ...constant(DIMENSIONS), ...ADD, ...set(STOP)],
  [0x03, BLOCK_EMPTY],
  [...get(SKETCH), ...load(0), ...set(CODES)],
  [...get(CODES), ...EXTEND_LOW, ...get(QUERY), ...load(0), ...DOT],
  [...get(LOW), ...ADD_LANES, ...set(LOW)],
  [...get(CODES), ...EXTEND_HIGH, ...get(QUERY), ...load(16), ...DOT],
  [...get(HIGH), ...ADD_LANES, ...set(HIGH)],
  [...get(QUERY), ...constant(32), ...ADD, ...set(QUERY)],
  [...get(SKETCH), ...constant(16), ...ADD, ...set(SKETCH)],
  // Round again while SKETCH is below STOP.
  [...get(SKETCH), ...get(STOP), 0x49, 0x0d, 0x00],
  [END],
  [...get(LOW), ...get(HIGH), ...ADD_LANES, ...set(LOW)],
  [...get(LOW), ...lane(0), ...get(LOW), ...lane(1), ...ADD],
  [...get(LOW), ...lane(2), ...ADD, ...get(LOW), ...lane(3), ...ADD],
  [END],
].flat();

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** The WebAssembly core specification, "Binary Format". */
function assemble(): Uint8Array {
  const locals = [2, 1, I32, 3, V128];
  const code = [...locals, ...BODY];
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, [1, 0x60, 2, I32, I32, 1, I32]),
    // Shared, of any size up to all there can be.
    ...section(2, [1, ...name('env'), ...name('memory'), 0x02, 0x03, 0, ...unsigned(65_536)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('dot'), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function section(id: number, content: readonly number[]): readonly number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): readonly number[] {
  return [text.length, ...Buffer.from(text)];
}

/** LEB128. */
function unsigned(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function signed(value: number): readonly number[] {
  const isLast = value >= -64 && value < 64;
  return isLast ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}
