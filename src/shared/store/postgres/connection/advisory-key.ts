/**
 * Keys of session advisory locks, all that this program takes. They are shared by everything that
 * uses the database, so ours carry a prefix: 32 bits of name, 16 bits of class, 16 bits of number.
 */
const PREFIX = 0x7376_6331n;

const CLASSES = { migration: 1n, shard: 2n, duty: 3n, presence: 4n } as const;

/** A bigint in decimal, to be bound as a parameter. */
export function advisoryKey(lockClass: keyof typeof CLASSES, number: number): string {
  return String((PREFIX << 32n) | (CLASSES[lockClass] << 16n) | BigInt(number));
}
