import type { ApiContext } from './context.ts';
import { ANSWER_HEADERS } from './middleware/request-context.ts';

type AnswerHeaders = Readonly<Record<string, string>>;

const COMMON_HEADERS: readonly string[] = Object.entries(ANSWER_HEADERS).flat();

interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: AnswerHeaders | undefined;
}

/**
 * Serialised here, so that a value that cannot be is caught like any bug. The head and the body are
 * one write to the socket, past Koa, which would set and copy each header on its own.
 */
export function sendJson(ctx: ApiContext, { status, body, headers = {} }: JsonAnswer): void {
  const text = JSON.stringify(body);
  const { res, state } = ctx;
  // Koa knows how to end an answer that nobody reads.
  if (res.headersSent || !ctx.writable) return void (ctx.body = text);
  ctx.respond = false;
  const head = ['X-Request-Id', state.requestId, ...headersOf(headers)];
  head.push('Content-Type', 'application/json; charset=utf-8');
  head.push('Content-Length', String(Buffer.byteLength(text)));
  // A kept connection would only be cut at the end of the drain.
  if (state.leaving.aborted) head.push('Connection', 'close');
  res.writeHead(status, head);
  res.end(text);
}

/** The common headers, and those of this answer in their place. */
function headersOf(own: AnswerHeaders): readonly string[] {
  const names = Object.keys(own);
  if (names.length === 0) return COMMON_HEADERS;
  const replaced = new Set(names.map((name) => name.toLowerCase()));
  const common = Object.entries(ANSWER_HEADERS).filter(
    ([name]) => !replaced.has(name.toLowerCase()),
  );
  return [...common, ...Object.entries(own)].flat();
}
