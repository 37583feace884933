import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

import { badRequest } from '../domain/errors.ts';
import type { SecretBox } from '../ports/secret-box.ts';

/*
 * AES-256-GCM (NIST SP 800-38D). A box is base64 of nonce, tag and ciphertext. The tenant and the
 * key's id are authenticated with it, so that a box copied into another tenant's row opens nowhere.
 *
 * Nonces are 96 random bits: safe for some 2^32 boxes of one key, and a box is made when somebody
 * saves a provider key. The newest key seals; all of them open, so that a key can be replaced while
 * boxes of the one before are still about.
 */
export function createSecretBox(params: {
  readonly keys: EncryptionKeys;
  readonly randomBytes: (count: number) => Uint8Array;
}): SecretBox {
  const { keys, randomBytes } = params;
  return {
    currentKeyId() {
      const key = keys.newest();
      return key === null ? null : idOfKey(key);
    },

    seal({ tenantId, secret }) {
      const key = keys.newest();
      if (key === null) throw badRequest(NO_KEY);
      const keyId = idOfKey(key);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(context(tenantId, keyId));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const box = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
      return { keyId, box };
    },

    open({ tenantId, sealed }) {
      const key = keys.all().find((known) => idOfKey(known) === sealed.keyId);
      if (key === undefined) return null;
      const bytes = Buffer.from(sealed.box, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      if (tag.length !== TAG_BYTES) return null;
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(context(tenantId, sealed.keyId));
      decipher.setAuthTag(tag);
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        // Nothing is used before the tag has been checked.
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** 32 bytes each. Asked for at every use: a key file may have gained a key. */
export interface EncryptionKeys {
  all(): readonly Uint8Array[];
  /** The one that seals; null where there is none and none is made. */
  newest(): Uint8Array | null;
}

export const KEY_BYTES = 32;

/** Tells keys apart and says nothing about them. */
export function idOfKey(key: Uint8Array): string {
  return createHash('sha256').update('svc encryption key\0').update(key).digest('hex').slice(0, 16);
}

/** Null for anything but 32 bytes of base64. */
export function parseEncryptionKey(text: string): Uint8Array | null {
  const bytes = Buffer.from(text.trim(), 'base64');
  return /^[A-Za-z0-9+/]{43}=?$/.test(text.trim()) && bytes.length === KEY_BYTES ? bytes : null;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NO_KEY =
  'provider keys cannot be kept, as this service has no encryption key: ' +
  'set SVC_ENCRYPTION_KEY to 32 random bytes in base64 (openssl rand -base64 32) and restart it';

function context(tenantId: string, keyId: string): Uint8Array {
  return Buffer.from(JSON.stringify(['provider_key', tenantId, keyId]));
}
