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
    const request = new Request(input instanceof Request ? input : String(input), init);
    const { pathname, search } = new URL(request.url);
    const isStreamed = request.headers.get('accept')?.includes(EVENT_STREAM) ?? false;
    const left = new AbortController();
    const leave = () => left.abort(request.signal.reason);
    request.signal.throwIfAborted();
    request.signal.addEventListener('abort', leave, { once: true });
    try {
      const answer = await inject(leaving(handler, left.signal), {
        method: request.method,
        url: pathname + search,
        headers: Object.fromEntries(request.headers),
        payloadAsStream: isStreamed,
        ...(request.body !== null && { payload: Buffer.from(await request.arrayBuffer()) }),
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
      request.signal.throwIfAborted();
      throw error;
    } finally {
      if (!isStreamed) request.signal.removeEventListener('abort', leave);
    }
  };
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
