import { setTimeout as delay } from 'node:timers/promises';

/** Where the runtime is, and the token to show it. */
export interface Api {
  readonly url: string;
  readonly token: string | null;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** An answer that asking again would not change. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  /** The error that the runtime names. */
  readonly reason: string;
}

/** No answer, or one that says to come again: 408, 429 and 5xx. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** The least time to wait, from Retry-After. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Request {
  readonly path: string;
  readonly body: JsonObject;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Rejects with a NoAnswerError, or with the signal's reason. */
export async function send(api: Api, request: Request): Promise<Answer> {
  const body = JSON.stringify(request.body);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  let status: number;
  let text: string;
  let retryAfter: string | null;
  try {
    const response = await fetch(api.url.replace(/\/+$/, '') + request.path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(api.token !== null && { authorization: `Bearer ${api.token}` }),
      },
      body,
      signal: request.signal ? AbortSignal.any([timeout, request.signal]) : timeout,
    });
    status = response.status;
    retryAfter = response.headers.get('retry-after');
    text = await response.text();
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new NoAnswerError(`no answer from ${api.url}: ${describe(error)}`, 0, error);
  }
  const read = parse(text);
  // A proxy that answers for the runtime may say 200, too.
  if (read === null && status === 200) throw new NoAnswerError('the answer is no JSON object', 0);
  const answer = read ?? {};
  const said = answer['reason'] ?? answer['error'];
  const reason = typeof said === 'string' ? said : `HTTP status ${status}`;
  if (status === 408 || status === 429 || status >= 500) {
    throw new NoAnswerError(reason, Number(retryAfter ?? 0) * 1000 || 0);
  }
  return { status, body: answer, reason };
}

/**
 * Sends as often as it takes to get an answer: only for what may arrive twice. Null when there was
 * none by the time that `giveUp` is aborted; a request under way is not broken off.
 */
export async function sendUntilAnswered(
  api: Api,
  request: Request,
  giveUp: AbortSignal,
): Promise<Answer | null> {
  for (let failures = 1; !giveUp.aborted; failures++) {
    try {
      return await send(api, request);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      await rest({ failures, atLeastMs: error.retryAfterMs, signal: giveUp });
    }
  }
  return null;
}

const REST_MS_MIN = 250;
const REST_MS_MAX = 5_000;

/**
 * Waits after the so-manieth failure in a row: twice as long each time, up to a bound, and by chance
 * up to a half less, so that workers cut off together don't come back together. Ends early, without
 * a word, when the signal is aborted.
 */
export async function rest(params: {
  readonly failures: number;
  readonly atLeastMs?: number;
  readonly atMostMs?: number;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { failures, atLeastMs = 0, atMostMs = REST_MS_MAX, signal } = params;
  const doubled = Math.min(REST_MS_MIN * 2 ** (failures - 1), REST_MS_MAX, atMostMs);
  const ms = Math.max(doubled * (1 - Math.random() / 2), atLeastMs);
  await pause(ms, signal);
}

/** Ends early, without a word, when the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal }).catch(() => undefined);
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as JsonObject | null) : null;
  } catch {
    return null;
  }
}

/** fetch keeps the reason of a failure in `cause`. */
function describe(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}
