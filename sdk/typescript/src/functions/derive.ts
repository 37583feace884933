import { createHash } from 'node:crypto';

/** The idempotency key of a step: a hash of the item's key, which names the visit, and the identity. */
export function deriveKey(visitKey: string, identity: string): string {
  return createHash('sha256').update(`${visitKey}\n${identity}`).digest('hex');
}

/** A number from 0 to below 1 with 52 bits, always the same for a key. */
export function deriveRandom(key: string): number {
  return Number.parseInt(key.slice(0, 13), 16) / 2 ** 52;
}

/** A UUID of version 8 (RFC 9562), always the same for a key. */
export function deriveUuid(key: string): string {
  const variant = ((Number.parseInt(key.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [
    key.slice(0, 8),
    key.slice(8, 12),
    `8${key.slice(13, 16)}`,
    `${variant}${key.slice(17, 20)}`,
    key.slice(20, 32),
  ];
  return parts.join('-');
}
