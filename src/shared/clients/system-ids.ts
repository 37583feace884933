import type { Ids } from '../ports/ids.ts';

/**
 * UUIDv7 (RFC 9562 §5.7), each greater than the one before it in this process.
 *
 * Layout: 48 bits of Unix milliseconds, then an 18-bit counter (`rand_a` and the top 6 bits of
 * `rand_b`, the fixed-length counter of §6.2 method 1), then 56 random bits. The counter starts at
 * a random value below its middle at each new millisecond, so there is room for 2^17 ids in one;
 * should it run over, or should the clock go back, the timestamp already used is moved on by one or
 * kept, and order holds.
 *
 * Randomness is drawn for many ids at a time: one call into the system for each id cost more than
 * everything else here together.
 */
export function createIds(source: {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}): Ids {
  const take = drawBytes(source.randomBytes);
  let lastMs = -1;
  let counter = 0;

  function advance(): void {
    const ms = source.now();
    if (ms > lastMs) {
      lastMs = ms;
      counter = readUint32(take(4)) & COUNTER_START_MASK;
    } else if (counter < COUNTER_MAX) {
      counter++;
    } else {
      lastMs++;
      counter = readUint32(take(4)) & COUNTER_START_MASK;
    }
  }

  return {
    uuid() {
      advance();
      const time = lastMs.toString(16).padStart(12, '0');
      const randA = (0x7000 | (counter >>> 6)).toString(16);
      const variant = (0x80 | (counter & 0x3f)).toString(16);
      const random = toHex(take(7));
      return `${time.slice(0, 8)}-${time.slice(8)}-${randA}-${variant}${random.slice(0, 2)}-${random.slice(2)}`;
    },
  };
}

const COUNTER_MAX = 2 ** 18 - 1;
const COUNTER_START_MASK = 2 ** 17 - 1;
const BATCH_BYTES = 4096;

function drawBytes(randomBytes: (size: number) => Uint8Array): (size: number) => Uint8Array {
  let batch = new Uint8Array(0);
  let used = 0;
  return (size) => {
    if (used + size > batch.length) {
      batch = Uint8Array.from(randomBytes(BATCH_BYTES));
      used = 0;
    }
    used += size;
    return batch.subarray(used - size, used);
  };
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A view of a buffer costs more than to look up so few bytes. */
function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

function readUint32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
}
