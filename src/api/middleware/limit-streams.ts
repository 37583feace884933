import type { ServerResponse } from 'node:http';

import type { Identity } from '../../shared/domain/access.ts';
import { limitExceeded } from '../../shared/domain/errors.ts';

/**
 * Bounds the event streams of one caller at this process, since each holds a connection and is read
 * for as long as its client likes. A new certificate or a new JSON Web Token of the same subject is
 * the same caller.
 */
export interface StreamLimit {
  /** Counts one until this answer has ended, however it ends; throws the 429 of one too many. */
  enter(identity: Identity, answer: ServerResponse): void;
}

const RETRY_AFTER_SECONDS = 5;

export function createStreamLimit({ max }: { readonly max: number }): StreamLimit {
  const open = new Map<string, number>();
  return {
    enter(identity, answer) {
      // A connection that is gone says so no second time.
      if (answer.destroyed) return;
      const key = keyOf(identity);
      const count = open.get(key) ?? 0;
      if (count >= max) {
        throw limitExceeded({
          limit: 'streams_per_token',
          max,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
          detail: `this token has ${max} event streams open; close one, or raise api.streams_per_token`,
        });
      }
      open.set(key, count + 1);
      answer.once('close', () => leave(key));
    },
  };

  function leave(key: string): void {
    const count = (open.get(key) ?? 1) - 1;
    if (count === 0) open.delete(key);
    else open.set(key, count);
  }
}

function keyOf({ tenantId, tokenId, tokenName }: Identity): string {
  return tokenId ?? `${tenantId} ${tokenName}`;
}
