import { randomBytes } from 'node:crypto';

import type { SecretBox } from '../../src/shared/ports/secret-box.ts';
import { createSecretBox } from '../../src/shared/security/secret-box.ts';

/** A box with a new key. */
export function makeSecretBox(): SecretBox {
  const key = randomBytes(32);
  return createSecretBox({ keys: { all: () => [key], newest: () => key }, randomBytes });
}
