import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

import inject from 'light-my-request';

/** As the global `fetch`, for the runtime of this process: only the path of the URL counts. */
export type FetchInProcess = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

const BODYLESS = new Set([204, 205, 304]);
const LISTENERS_MAX = 20;
const EVENT_STREAM = 'text/event-stream';

/**
 * Serves requests of this process without a socket: the same handler, so the same access rules,
 * checks and answers. An event stream is passed on as it grows; other answers arrive whole.
 */
export function createFetchInProcess(handler: RequestListener): FetchInProcess {
  return async (input, init) => {
    const given = readPlain(input, init) ?? (await readRequest(input, init));
    const { url, method, headers: asked, body: sent, signal } = given;
    const isStreamed = asked['accept']?.includes(EVENT_STREAM) ?? false;
    const left = new AbortController();
    const leave = () => left.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const answer = await inject(leaving(handler, left.signal), {
        method,
        url: url.pathname + url.search,
        headers: asked,
        payloadAsStream: isStreamed,
        ...(sent !== null && { payload: sent }),
      });
      const { statusCode: status, headers } = answer;
      const body = isStreamed ? toWeb(answer.stream(), left) : new Uint8Array(answer.rawPayload);
      return new Response(BODYLESS.has(status) ? null : body, {
        status,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
        ),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      if (!isStreamed) signal?.removeEventListener('abort', leave);
    }
  };
}

interface ReadRequest {
  readonly url: URL;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | null;
  readonly signal: AbortSignal | null;
}

type Method = NonNullable<Exclude<Parameters<typeof inject>[1], string>['method']>;

async function readRequest(
  input: Parameters<FetchInProcess>[0],
  init: RequestInit | undefined,
): Promise<ReadRequest> {
  const request = new Request(input instanceof Request ? input : String(input), init);
  return {
    url: new URL(request.url),
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
    signal: request.signal,
  };
}

/**
 * The same without a `Request`, which makes a stream of the text and reads it again: about a sixth of
 * the CPU time of a call that does nothing. Null: the request is of another form.
 */
function readPlain(
  input: Parameters<FetchInProcess>[0],
  init: RequestInit = {},
): ReadRequest | null {
  if (input instanceof Request) return null;
  const { method = 'GET', body = null, signal = null } = init;
  if (!isPlainMethod(method)) return null;
  const isText = typeof body === 'string' && body !== '' && method !== 'GET';
  if (body !== null && !isText) return null;
  const headers = new Headers(init.headers);
  if (body !== null && !headers.has('content-type')) headers.set('content-type', TEXT);
  return { url: new URL(input), method, headers: Object.fromEntries(headers), body, signal };
}

const TEXT = 'text/plain;charset=UTF-8';
const PLAIN_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function isPlainMethod(method: string): method is (typeof PLAIN_METHODS)[number] {
  return PLAIN_METHODS.some((one) => one === method);
}

/** A caller that leaves closes its answer, as a socket's end would. */
function leaving(handler: RequestListener, left: AbortSignal): RequestListener {
  return (request, response) => {
    // The stand-in for the socket listens, too.
    response.setMaxListeners(LISTENERS_MAX);
    // Without a socket this would stay false after a complete answer.
    Object.defineProperty(response, 'writableFinished', { get: () => response.writableEnded });
    handler(request, response);
    if (left.aborted) response.destroy();
    else left.addEventListener('abort', () => response.destroy(), { once: true });
  };
}

/** A reader that cancels leaves, too. */
function toWeb(stream: Readable, left: AbortController): ReadableStream<Uint8Array> {
  stream.once('close', () => left.abort());
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
