import { hash } from 'node:crypto';

/** How many random bytes a token is made of. */
export const TOKEN_BYTES = 32;

/** The token is random bits behind a prefix that scanners for leaked secrets can look for. */
export function formatToken(random: Uint8Array): string {
  return `svc_${Buffer.from(random).toString('base64url')}`;
}

/** Whether a text can be a token of `formatToken` at all; spares a look-up for everything else. */
export function looksLikeToken(text: string): boolean {
  return /^svc_[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * Lowercase hex SHA-256 of a token: all that is ever stored of it. A plain fast hash is enough,
 * because a token is 256 random bits and cannot be guessed from its hash.
 */
export function hashToken(plaintext: string): string {
  return hash('sha256', plaintext, 'hex');
}
