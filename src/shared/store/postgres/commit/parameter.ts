export type Cell = string | number | boolean | null;

/*
 * Arrays as parameters. The server takes the elements of the binary form unchanged, but parses
 * every character of the text form: that was an eighth of its cost of a batch of sixteen. Short
 * texts and UUIDs are written character by character, because a call of the runtime for each costs
 * several times as much.
 */

/** An array of an SQL type, whose elements are numbers, texts, JSON texts or UUIDs as text. */
export function arrayParameter(type: string, values: readonly Cell[]): Buffer | string {
  const element = ELEMENTS.get(type);
  return element === undefined ? textArray(values) : binaryArray(element, values);
}

interface Element {
  readonly oid: number;
  /** Writes at the offset of `scratch`, which has room for it, and returns the number of bytes. */
  readonly write: (value: Cell, offset: number) => number;
}

const ELEMENTS: ReadonlyMap<string, Element> = new Map([
  ['text', { oid: 25, write: writeText }],
  ['json', { oid: 114, write: writeText }],
  ['int2', { oid: 21, write: writeInt2 }],
  ['int4', { oid: 23, write: writeInt4 }],
  ['int8', { oid: 20, write: writeInt8 }],
  ['uuid', { oid: 2950, write: writeUuid }],
]);

/** Dimensions, null flag, type, length, first index; then each element with its size. */
const HEADER_BYTES = 20;
const SCRATCH_BYTES = 64 * 1024;
/** The most bytes of an element of fixed size, including its size field. */
const FIXED_BYTES_MAX = 4 + 16;

/**
 * The buffer for building an array; a parameter is a copy, because it may wait for a connection.
 */
let scratch = Buffer.allocUnsafe(SCRATCH_BYTES);

function binaryArray(element: Element, values: readonly Cell[]): Buffer {
  scratch.writeInt32BE(1, 0);
  scratch.writeInt32BE(0, 4);
  scratch.writeInt32BE(element.oid, 8);
  scratch.writeInt32BE(values.length, 12);
  scratch.writeInt32BE(1, 16);
  let offset = HEADER_BYTES;
  for (const value of values) {
    reserve(offset + FIXED_BYTES_MAX + (typeof value === 'string' ? value.length * 3 : 0));
    if (value === null) {
      scratch[7] = 1;
      offset += writeInt4(-1, offset);
    } else {
      const bytes = element.write(value, offset + 4);
      writeInt4(bytes, offset);
      offset += 4 + bytes;
    }
  }
  const parameter = Buffer.from(scratch.subarray(0, offset));
  if (scratch.length > 16 * SCRATCH_BYTES) scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  return parameter;
}

function reserve(bytes: number): void {
  if (bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(2 * bytes);
  larger.set(scratch);
  scratch = larger;
}

const SHORT_CHARS_MAX = 96;

function writeText(value: Cell, offset: number): number {
  const text = value as string;
  if (text.length > SHORT_CHARS_MAX) return scratch.write(text, offset);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return scratch.write(text, offset);
    scratch[offset + index] = code;
  }
  return text.length;
}

function writeInt2(value: Cell, offset: number): number {
  scratch.writeInt16BE(value as number, offset);
  return 2;
}

function writeInt4(value: Cell, offset: number): number {
  scratch.writeInt32BE(value as number, offset);
  return 4;
}

function writeInt8(value: Cell, offset: number): number {
  const high = Math.floor((value as number) / 2 ** 32);
  scratch.writeInt32BE(high, offset);
  scratch.writeUInt32BE((value as number) - high * 2 ** 32, offset + 4);
  return 8;
}

/** A UUID of 32 hexadecimal digits, without the dashes. */
function writeUuid(value: Cell, offset: number): number {
  const text = value as string;
  let digits = 0;
  let high = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === DASH) continue;
    const digit = DIGITS[code];
    if (digit === undefined || digits === 32) throw new TypeError(`${text} is no UUID`);
    if (digits % 2 === 0) high = digit << 4;
    else scratch[offset + (digits >> 1)] = high | digit;
    digits += 1;
  }
  if (digits !== 32) throw new TypeError(`${text} is no UUID`);
  return 16;
}

const DASH = 45;
/** Value of a hexadecimal digit by its character code. */
const DIGITS: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? undefined : digit;
});

/** The driver's own encoder is made for arrays of anything. */
function textArray(values: readonly Cell[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? quoteElement(value) : String(value);
  });
  return `{${elements.join(',')}}`;
}

function quoteElement(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
