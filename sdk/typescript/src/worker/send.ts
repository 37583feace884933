import { explainNoAnswer } from '../client/explain-failure.ts';
import { isRecord } from '../is-record.ts';
import { linkAbort } from '../link-abort.ts';
import { backOffMs, pause } from './pause.ts';

/*
 * Requests to the runtime. An answer says what happened; no answer, a 408, a 429 and a 5xx leave it
 * unknown, so that the same request is sent again. The runtime makes that safe: every change names
 * the fence of the lease, and a change that arrived twice is made once.
 */

export interface Api {
  /** The address of the runtime, as `http://127.0.0.1:7700`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; asked again for each request, so that it may change. */
  readonly token: () => Promise<string | null> | string | null;
  /** Sent as `X-Tenant-Id`. */
  readonly tenant: string | null;
  /** Whether the worker was given a token. */
  readonly hasToken: boolean;
  readonly fetch: typeof fetch;
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
  /** The body as JSON, in place of `body`. */
  readonly json?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether an earlier try of the same request may have arrived. */
  readonly afterUnknown: boolean;
}

/** Nothing is known of what became of the request. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly retryAfterMs: number;

  constructor(message: string, options: { readonly retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

const ANSWER_MS_MAX = 15_000;

/** Sends once; rejects with `NoAnswerError` when the outcome is unknown. */
export async function send(api: Api, request: Request): Promise<Answer> {
  // Outside of `try`: a body that is no JSON would not become one.
  const own = request.body === undefined ? null : JSON.stringify(request.body);
  const body = request.json ?? own;
  const late = new AbortController();
  const timeoutMs = request.timeoutMs ?? ANSWER_MS_MAX;
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const link = linkAbort([late.signal, request.signal]);
  try {
    const token = await api.token();
    const response = await api.fetch(`${api.url}${request.path}`, {
      method: request.method ?? 'POST',
      headers: {
        ...(body !== null && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(api.tenant !== null && { 'x-tenant-id': api.tenant }),
      },
      ...(body !== null && { body }),
      signal: link.signal,
    });
    return await readAnswer(response);
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new NoAnswerError(reasonOf(error, api, request), { cause: error });
  } finally {
    clearTimeout(timer);
    link.unlink();
  }
}

/** Sends until there is an answer; null when the signal aborts first. */
export async function sendUntilAnswered(
  api: Api,
  request: Request & { readonly signal: AbortSignal },
): Promise<Answer | null> {
  for (let failures = 0; !request.signal.aborted;) {
    try {
      const answer = await send(api, request);
      return { ...answer, afterUnknown: failures > 0 };
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      failures += 1;
      await pause(Math.max(backOffMs(failures, Math.random()), error.retryAfterMs), request.signal);
    }
  }
  return null;
}

/** The error and the reason that an answer names. */
export function reasonIn(answer: Answer): string {
  const { reason, error } = answer.body;
  const said = [error, reason].filter((text) => typeof text === 'string');
  return said.length > 0 ? said.join(': ') : `status ${answer.status}`;
}

/** Whether an answer of this status leaves the outcome unknown. */
export function isUnknown(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status } = response;
  const text = await response.text();
  if (isUnknown(status)) {
    const seconds = Number(response.headers.get('retry-after'));
    const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, 60_000) : 0;
    throw new NoAnswerError(`the runtime answered ${status}`, { retryAfterMs });
  }
  const body = readObject(text);
  // A proxy that answers for the runtime may say 200, too.
  if (status === 200 && body === null) throw new NoAnswerError('the answer is no JSON object');
  return { status, body: body ?? {}, afterUnknown: false };
}

function readObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Says what to check if nobody can have got the request. */
function reasonOf(error: unknown, { url, hasToken, tenant }: Api, { path }: Request): string {
  const explained = explainNoAnswer({ url, hasToken, tenantId: tenant }, error);
  if (explained.neverSent) return explained.message;
  if (!(error instanceof Error)) return `${url}${path}: ${String(error)}`;
  // `fetch` says little itself: its cause says how the connection failed.
  const why = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${url}${path}: ${error.message}${why}`;
}
