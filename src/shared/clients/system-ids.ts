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
  const random = drawBytes(source.randomBytes);
  let lastMs = -1;
  let counter = 0;
  /** The first 48 bits as text: they change with the millisecond, and many ids share one. */
  let time = '';

  function begin(ms: number): void {
    lastMs = ms;
    random.reserve(4);
    counter = 0;
    for (let bytes = 0; bytes < 4; bytes += 1) counter = (counter << 8) | random.byte();
    counter &= COUNTER_START_MASK;
    const digits = ms.toString(16).padStart(12, '0');
    time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  }

  function advance(): void {
    const ms = source.now();
    if (ms > lastMs) begin(ms);
    else if (counter < COUNTER_MAX) counter++;
    else begin(lastMs + 1);
  }

  return {
    uuid() {
      advance();
      const randA = hexOf(0x70 | (counter >>> 14)) + hexOf((counter >>> 6) & 0xff);
      random.reserve(7);
      const randB = hexOf(0x80 | (counter & 0x3f)) + hexOf(random.byte());
      let end = '';
      for (let bytes = 0; bytes < 6; bytes += 1) end += hexOf(random.byte());
      return `${time}-${randA}-${randB}-${end}`;
    },
  };
}

const COUNTER_MAX = 2 ** 18 - 1;
const COUNTER_START_MASK = 2 ** 17 - 1;
const BATCH_BYTES = 4096;

interface RandomBytes {
  /** Draws again if fewer bytes are left. */
  reserve(bytes: number): void;
  byte(): number;
}

function drawBytes(randomBytes: (size: number) => Uint8Array): RandomBytes {
  let batch = new Uint8Array(0);
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes <= batch.length) return;
      batch = Uint8Array.from(randomBytes(BATCH_BYTES));
      used = 0;
    },
    byte: () => batch[used++] ?? 0,
  };
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two digits. A view of a buffer costs more than to look up so few bytes. */
function hexOf(byte: number): string {
  return HEX[byte] ?? '';
}
