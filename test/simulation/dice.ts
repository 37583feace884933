/** Random numbers from a seed: the same seed gives the same numbers. */
export interface Dice {
  /** From 0, below 1. */
  readonly fraction: () => number;
  /** An integer, both bounds included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  readonly bytes: (size: number) => Uint8Array;
  /** Separate dice for one part, so that its throws don't change the numbers of other parts. */
  fork(name: string): Dice;
}

/** The generator sfc32, seeded by a hash (FNV-1a) of a text. */
export function createDice(seed: string): Dice {
  let a = hash(`${seed}a`);
  let b = hash(`${seed}b`);
  let c = hash(`${seed}c`);
  let counter = 1;

  function next(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }

  for (let round = 0; round < 12; round += 1) next();
  const fraction = (): number => next() / 2 ** 32;

  function bytes(size: number): Uint8Array {
    const words = new Uint32Array(Math.ceil(size / 4));
    for (let index = 0; index < words.length; index += 1) words[index] = next();
    return new Uint8Array(words.buffer, 0, size);
  }

  return {
    fraction,
    between: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    chance: (probability) => fraction() < probability,
    pick: <Item>(items: readonly Item[]) => items[Math.floor(fraction() * items.length)] as Item,
    bytes,
    fork: (name) => createDice(`${seed}/${name}`),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value | 0;
}
