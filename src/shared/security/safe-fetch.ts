import { HttpError } from '../domain/http-error.ts';
import type { Http, HttpRequest, HttpResponse } from '../ports/http.ts';
import { openAnswer, resolveBySystem, type Resolve } from './open-answer.ts';
import { readOutgoingUrl } from './outgoing-url.ts';
import { sendableHeaders } from './redirect.ts';

export type { Resolve } from './open-answer.ts';

/**
 * The one way out to addresses that users give; `guarded-fetch.ts` is the same for libraries.
 *
 * Nothing about the other side is trusted: `open-answer.ts` says how addresses and redirects are
 * checked. One time limit covers all of it, and the size limit counts bytes as they arrive.
 */
export function createSafeFetch(options: {
  /** Lets private, loopback and link-local addresses be reached; the forbidden ones never are. */
  readonly allowPrivate: boolean;
  /** The configuration key of that, for the refusal of a private address. */
  readonly setting?: string;
  /** Every address of a name; the system's resolver when not given. */
  readonly resolve?: Resolve;
}): Http {
  const { allowPrivate, setting, resolve = resolveBySystem } = options;
  return {
    async fetch(request) {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      const signal = AbortSignal.any([timeout, ...(request.signal ? [request.signal] : [])]);
      try {
        return await exchangeWhole(request, { resolve, allowPrivate, setting, signal });
      } catch (error) {
        throw translate(error, { request, timeout });
      }
    },
  };
}

async function exchangeWhole(
  request: HttpRequest,
  given: {
    readonly resolve: Resolve;
    readonly allowPrivate: boolean;
    readonly setting: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<HttpResponse> {
  const { method = 'GET', headers = {}, body = null, redirects = 'follow' } = request;
  const url = readOutgoingUrl(request.url);
  // The limit on the whole is the only one.
  const limits = { connectTimeoutMs: request.timeoutMs, silenceMs: 0 };
  const answer = await openAnswer(
    { url, method, headers: sendableHeaders(headers), body },
    { ...given, ...limits, redirects },
  );
  try {
    const bytesMax = request.responseBytesMax;
    const bytes = await readWithin(answer.body, { bytesMax, url: answer.url });
    return { status: answer.status, headers: answer.headers, url: answer.url.href, body: bytes };
  } finally {
    await answer.close();
  }
}

async function readWithin(
  body: AsyncIterable<Uint8Array>,
  limits: { readonly bytesMax: number; readonly url: URL },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limits.bytesMax) throw new HttpError('too_large', limits.url.host);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Callers get one error for all network errors; its cause keeps the original for the log. */
function translate(
  error: unknown,
  given: { readonly request: HttpRequest; readonly timeout: AbortSignal },
): HttpError {
  if (error instanceof HttpError) return error;
  const { request, timeout } = given;
  const { host } = new URL(request.url);
  if (timeout.aborted) return new HttpError('timed_out', host, { cause: error });
  if (request.signal?.aborted === true) return new HttpError('aborted', host, { cause: error });
  return new HttpError('unreachable', host, { cause: error });
}
