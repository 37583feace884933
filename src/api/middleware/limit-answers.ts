import type { ServerResponse } from 'node:http';

import type { Identity } from '../../shared/domain/access.ts';
import { limitExceeded } from '../../shared/domain/errors.ts';
import type { LimitName } from '../../shared/domain/tenant.ts';

/**
 * Bounds the answers of one kind that one caller has open at this process: event streams, and waits
 * for the end of an execution. Each holds a connection for as long as its client likes. A new
 * certificate or a new JSON Web Token of the same subject is the same caller.
 */
export interface AnswerLimit {
  /** Counts one until this answer has ended, however it ends; throws the 429 of one too many. */
  enter(identity: Identity, answer: ServerResponse): void;
}

const RETRY_AFTER_SECONDS = 5;

export function createAnswerLimit(params: {
  readonly limit: LimitName;
  readonly max: number;
  /** The detail of the answer to a caller who already has the most that are allowed. */
  readonly refusal: string;
}): AnswerLimit {
  const { limit, max, refusal } = params;
  const open = new Map<string, number>();
  return {
    enter(identity, answer) {
      // A connection that is gone says so no second time.
      if (answer.destroyed) return;
      const key = keyOf(identity);
      const count = open.get(key) ?? 0;
      if (count >= max) {
        const retryAfterSeconds = RETRY_AFTER_SECONDS;
        throw limitExceeded({ limit, max, retryAfterSeconds, detail: refusal });
      }
      open.set(key, count + 1);
      answer.on('close', () => leave(key));
    },
  };

  function leave(key: string): void {
    const count = (open.get(key) ?? 1) - 1;
    if (count === 0) open.delete(key);
    else open.set(key, count);
  }
}

export function createStreamLimit(max: number): AnswerLimit {
  return createAnswerLimit({
    limit: 'streams_per_token',
    max,
    refusal: `this token has ${max} event streams open; close one, or raise api.streams_per_token`,
  });
}

export function createResultWaitLimit(max: number): AnswerLimit {
  return createAnswerLimit({
    limit: 'result_waits_per_token',
    max,
    refusal:
      `this token has ${max} requests that wait for a result; ask with a shorter wait, or raise ` +
      'api.result_waits_per_token',
  });
}

function keyOf({ tenantId, tokenId, tokenName }: Identity): string {
  return tokenId ?? `${tenantId} ${tokenName}`;
}
