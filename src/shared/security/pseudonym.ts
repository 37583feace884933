import { createHmac, hkdfSync } from 'node:crypto';

import type { Pseudonym } from '../domain/data-policy/redact.ts';
import type { EncryptionKeys } from './secret-box.ts';

/**
 * Names for values that must not be shown: equal for equal values, and useless without the key,
 * which is needed to try values out. Null when there is no key. They change with the key.
 */
export function createPseudonym(keys: EncryptionKeys): Pseudonym {
  const key = keys.newest();
  if (key === null) return null;
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'svc pseudonym', 32));
  return (text) => `hmac:${createHmac('sha256', derived).update(text).digest('hex').slice(0, 32)}`;
}
