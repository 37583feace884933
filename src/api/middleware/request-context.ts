import type { ApiContext } from '../context.ts';

/**
 * No answer may be cached: it contains tokens and states of executions, and is outdated at once.
 */
export const ANSWER_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** Gives a request an id, the caller's own when it is usable. */
export function beginRequest(
  ctx: ApiContext,
  params: { readonly newRequestId: () => string; readonly leaving: AbortSignal },
): void {
  const given = ctx.req.headers['x-request-id'];
  ctx.state.requestId =
    typeof given === 'string' && isUsable(given) ? given : params.newRequestId();
  ctx.state.route = 'unmatched';
  ctx.state.leaving = params.leaving;
}

/** Visible ASCII of a length that fits a log line; anything else is replaced, not refused. */
function isUsable(id: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(id);
}

/**
 * The headers of every answer that a handler has left to Koa, where it has not set them. `sendJson`
 * writes those of its own answers.
 */
export function completeHeaders({ res, state }: ApiContext): void {
  if (res.headersSent) return;
  res.setHeader('X-Request-Id', state.requestId);
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) {
    if (!res.hasHeader(name)) res.setHeader(name, value);
  }
  // A kept connection would only be cut at the end of the drain.
  if (state.leaving.aborted) res.setHeader('Connection', 'close');
}
