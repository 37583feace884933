import { timingSafeEqual } from 'node:crypto';

/** Compares two hashes of `hashToken` in constant time. */
export function equalHashes(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));
}
