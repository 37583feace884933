import { SvcError } from '../../shared/domain/errors.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import { StoreUnavailableError, type Shortage } from '../../shared/store/store.ts';
import type { ApiContext } from '../context.ts';
import type { ApiLog } from '../deps.ts';
import { sendJson } from '../send.ts';
import { discardRest } from './discard-rest.ts';

/**
 * Turns any thrown value into an answer. Expected errors keep their message. An unavailable
 * database is a 503 that asks the caller to try again. Everything else is a bug: it is logged once,
 * here, with ids and without payload, and the answer contains no internals.
 */
export async function answerError(ctx: ApiContext, error: unknown, log: ApiLog): Promise<void> {
  const expected = translate(error);
  const { status } = expected;
  const { requestId, route } = ctx.state;
  logError(log, { error, status, requestId, method: ctx.method, route });
  // Part of the body, JSON or not, may still be on its way.
  if (expected.code === 'too_large') await discardRest(ctx.req);
  sendJson(ctx, { status, body: errorBody(expected, requestId), headers: expected.headers });
}

/** Any thrown value, as a row of the table of errors. */
export function translate(error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (error instanceof StoreUnavailableError) {
    if (error.shortOf !== null && !error.ambiguous) {
      const { code, detail } = SHORTAGES[error.shortOf];
      return new SvcError('unavailable', detail, {
        headers: { 'Retry-After': '5' },
        body: { code },
        cause: error,
      });
    }
    const detail = error.ambiguous
      ? 'the database went away, and whether the request took effect is not known'
      : 'the database does not answer, try again';
    return new SvcError('unavailable', detail, {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  return new SvcError('internal', 'unexpected', { cause: error });
}

const SHORTAGES: Readonly<Record<Shortage, { readonly code: string; readonly detail: string }>> = {
  disk: {
    code: 'database_full',
    detail:
      'the disk of the database is full, and nothing was changed; try again when there is room',
  },
  memory: {
    code: 'database_out_of_memory',
    detail: 'the database has no memory left, and nothing was changed; try again later',
  },
  connections: {
    code: 'database_out_of_connections',
    detail: 'the database accepts no more connections, and nothing was changed; try again later',
  },
};

/** The message for the caller; for a bug, only where to find the log entry. */
export function messageFor(error: SvcError, requestId: string): string {
  return error.code === 'internal' ? `internal error: request ${requestId}` : error.message;
}

/** The body of the answer. */
export function errorBody(error: SvcError, requestId: string): JsonObject {
  if (error.code === 'internal') return { error: messageFor(error, requestId) };
  return { error: error.message, ...error.body };
}

/** Logs what the service is to blame for; the caller hears of the rest. */
export function logError(
  log: ApiLog,
  of: {
    readonly error: unknown;
    readonly status: number;
    readonly requestId: string;
    readonly method: string;
    readonly route: string;
  },
): void {
  const { error, status, requestId, method, route } = of;
  if (status < 500) return;
  const fields = { request_id: requestId, method, route, status, err: error };
  if (status === 503) log.warn(fields, 'request refused: the service is not available');
  else if (status === 502) log.warn(fields, 'request failed: another service did not do its part');
  else log.error(fields, 'request failed unexpectedly');
}
