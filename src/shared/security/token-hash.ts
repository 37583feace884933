import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Lowercase hex SHA-256 of a token: all that is ever stored of it. A plain fast hash is enough,
 * because a token is 256 random bits and cannot be guessed from its hash.
 */
export function hashToken(plaintext: string): string {
  return hash('sha256', plaintext, 'hex');
}

/** Compares two hashes of `hashToken` in constant time. */
export function equalHashes(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));
}
