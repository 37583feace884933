import { HttpError } from '../domain/http-error.ts';
import { openAnswer, resolveBySystem, type OpenAnswer, type Resolve } from './open-answer.ts';
import { readOutgoingUrl } from './outgoing-url.ts';
import { isRedirect, sendableHeaders, type Hop } from './redirect.ts';

export interface GuardedFetchOptions {
  /** Lets private, loopback and link-local addresses be reached; the forbidden ones never are. */
  readonly allowPrivate: boolean;
  /** The configuration key of that, for the refusal of a private address. */
  readonly setting?: string;
  /** Every address of a name; the system's resolver when not given. */
  readonly resolve?: Resolve;
  /** Limit of one whole response; default 16 MiB. */
  readonly responseBytesMax?: number;
  /** For resolving, and again for connecting; default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Longest silence before the head of a response and within its body; default 5 min. */
  readonly silenceMs?: number;
  /**
   * `same_origin` refuses a redirect to another origin (`refused_redirect`): for requests that carry
   * a secret in their URL or body. Headers that may hold one never go to another origin.
   */
  readonly redirects?: 'follow' | 'same_origin';
}

/**
 * A `fetch` for libraries that want one, with the guards of `safe-fetch.ts`: it checks the
 * addresses of a name and connects to exactly those, checks each of at most three redirects, uses
 * no proxies and refuses compressed bodies. Bodies stream, including server-sent events, up to a
 * number of bytes.
 *
 * It rejects with an `HttpError`, not with a `TypeError`, or with the reason of the caller's
 * signal; a body that fails on the way fails with the same. The caller's signal limits the time of
 * a whole call.
 */
export function createGuardedFetch(options: GuardedFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    // Before a `Request` is made of it, whose complaints would quote the address.
    const url = readOutgoingUrl(input instanceof Request ? input.url : String(input));
    const request = new Request(input, init);
    const signal = signalOf(input, init) ?? request.signal;
    const translate = (error: unknown) => translateTo(error, { url, signal });
    try {
      signal.throwIfAborted();
      const answer = await openAnswer(await readHop(request, url), {
        resolve: options.resolve ?? resolveBySystem,
        allowPrivate: options.allowPrivate,
        setting: options.setting,
        redirects: request.redirect === 'follow' ? (options.redirects ?? 'follow') : 'manual',
        signal,
        connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
        silenceMs: options.silenceMs ?? SILENCE_MS,
      });
      const bytesMax = options.responseBytesMax ?? RESPONSE_BYTES_MAX;
      return await toResponse(answer, { request, bytesMax, translate });
    } catch (error) {
      throw translate(error);
    }
  };
}

/**
 * The signal of the caller. The signal of a `Request` made from it follows it only until the
 * `Request` is garbage-collected, which may be before its body is read. So the creator of a
 * `Request` also passes this signal on.
 */
export function signalOf(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): AbortSignal | null {
  return init?.signal ?? (input instanceof Request ? input.signal : null);
}

async function readHop(request: Request, url: URL): Promise<Hop> {
  const method = METHODS.find((known) => known === request.method);
  if (method === undefined) throw new TypeError(`method ${request.method} is not sent`);
  return {
    url,
    method,
    headers: sendableHeaders(Object.fromEntries(request.headers)),
    body: request.body === null ? null : new Uint8Array(await request.arrayBuffer()),
  };
}

async function toResponse(
  answer: OpenAnswer,
  given: { readonly request: Request } & Reading,
): Promise<Response> {
  const { status, headers } = answer;
  const { request } = given;
  const hasBody = request.method !== 'HEAD' && !BODILESS.includes(status);
  // No `Response` can be made of another status, and no server says such a thing.
  const isUsable = status >= 200 && status <= 599;
  const isRefused = !isUsable || (request.redirect === 'error' && isRedirect(answer));
  if (isRefused || !hasBody) await answer.close();
  if (isRefused) throw new HttpError('unreachable', answer.url.host);
  const body = hasBody ? readAsStream(answer, given) : null;
  const response = new Response(body, { status, headers });
  Object.defineProperties(response, {
    url: { value: answer.url.href },
    redirected: { value: answer.redirected },
  });
  return response;
}

interface Reading {
  readonly bytesMax: number;
  readonly translate: (error: unknown) => unknown;
}

/** Reads as it is asked, closes the connection at the end, on failure, and when it is given up. */
function readAsStream(answer: OpenAnswer, { bytesMax, translate }: Reading): ReadableStream {
  const chunks = answer.body[Symbol.asyncIterator]();
  let length = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) {
            controller.close();
            await answer.close();
            return;
          }
          length += value.length;
          if (length > bytesMax) throw new HttpError('too_large', answer.url.host);
          // A copy: what the socket reads into is not handed on.
          controller.enqueue(new Uint8Array(value));
        } catch (error) {
          controller.error(translate(error));
          await answer.close();
        }
      },
      cancel: () => answer.close(),
    },
    { highWaterMark: 0 },
  );
}

function translateTo(
  error: unknown,
  given: { readonly url: URL; readonly signal: AbortSignal },
): unknown {
  if (given.signal.aborted) return given.signal.reason;
  if (error instanceof HttpError || error instanceof TypeError) return error;
  return new HttpError(isTimeout(error) ? 'timed_out' : 'unreachable', given.url.host, {
    cause: error,
  });
}

/**
 * Timeouts of undici (`UND_ERR_CONNECT_TIMEOUT` and others), or of the signal that ends a resolver.
 */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === 'TimeoutError' || ('code' in error && String(error.code).endsWith('_TIMEOUT'))
  );
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const BODILESS = [204, 205, 304];
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_MS = 300_000;
