import type { ApiContext } from './context.ts';
import type { LiveAnswer } from './endpoint.ts';
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
  const { res } = ctx;
  // Koa knows how to end an answer that nobody reads.
  if (res.headersSent || !ctx.writable) return void (ctx.body = text);
  ctx.respond = false;
  const head = headOf(ctx, headers);
  head.push('Content-Type', 'application/json; charset=utf-8');
  head.push('Content-Length', String(Buffer.byteLength(text)));
  res.writeHead(status, head);
  res.end(text);
}

/** Past Koa, which would keep a pipe with all its listeners for each stream. */
export function openEventStream(ctx: ApiContext, live: LiveAnswer): void {
  const { res } = ctx;
  // Koa knows how to end an answer that nobody reads.
  if (res.headersSent || !ctx.writable) return;
  ctx.respond = false;
  // Proxies must pass each event on as it comes.
  const head = [
    ...headOf(ctx, { 'X-Accel-Buffering': 'no' }),
    'Content-Type',
    `${EVENT_STREAM}; charset=utf-8`,
  ];
  res.writeHead(200, head);
  if (ctx.method === 'HEAD') return void res.end();
  // Sent on its own, the head becomes one string; before that, Node keeps each of its parts.
  res.flushHeaders();
  live.open(res);
}

export const EVENT_STREAM = 'text/event-stream';

function headOf({ state }: ApiContext, own: AnswerHeaders): string[] {
  const head = ['X-Request-Id', state.requestId, ...headersOf(own)];
  // A kept connection would only be cut at the end of the drain.
  if (state.leaving.aborted) head.push('Connection', 'close');
  return head;
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
