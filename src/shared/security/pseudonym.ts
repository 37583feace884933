import { createHmac, hkdfSync } from 'node:crypto';

import type { Pseudonym } from '../domain/data-policy/redact.ts';
import type { EncryptionKeys } from './secret-box.ts';

/**
 * Names for values that are not to be shown: equal for equal values, and worth nothing to whoever
 * doesn't have the key, since it takes the key to try values out. Null when there is no key. They
 * change with the key.
 */
export function createPseudonym(keys: EncryptionKeys): Pseudonym {
  const key = keys.newest();
  if (key === null) return null;
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'svc pseudonym', 32));
  return (text) => `hmac:${createHmac('sha256', derived).update(text).digest('hex').slice(0, 32)}`;
}
