import type { ApiMiddleware } from '../context.ts';

/**
 * No answer may be cached: it contains tokens and states of executions, and is outdated at once.
 */
export const ANSWER_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** Gives every request an id, the caller's own when it is usable, and every answer its headers. */
export function requestContext(params: {
  readonly newRequestId: () => string;
  readonly leaving: AbortSignal;
}): ApiMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = isUsable(given) ? given : params.newRequestId();
    ctx.state.requestId = requestId;
    ctx.state.route = 'unmatched';
    ctx.set('X-Request-Id', requestId);
    ctx.set(ANSWER_HEADERS);
    await next();
    // A kept connection would only be cut at the end of the drain.
    if (params.leaving.aborted) ctx.set('Connection', 'close');
  };
}

/** Visible ASCII of a length that fits a log line; anything else is replaced, not refused. */
function isUsable(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id);
}
