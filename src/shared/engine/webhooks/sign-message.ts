import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver knows who sent a message, when, and that it is whole: the Standard
 * Webhooks scheme, version 1 of its symmetric signatures (https://www.standardwebhooks.com).
 */
export function signMessage(message: {
  readonly id: string;
  /** Unix time of this attempt in seconds: receivers refuse old messages. */
  readonly timestamp: number;
  readonly body: string;
  /** `whsec_` and the key in base64. */
  readonly secret: string;
}): Readonly<Record<string, string>> {
  const { id, timestamp, body, secret } = message;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}

/** A new secret; `bytes` are 32 random ones. */
export function formatSecret(bytes: Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(bytes).toString('base64')}`;
}

const SECRET_PREFIX = 'whsec_';
