import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';

import { HttpError } from '../domain/http-error.ts';
import type { Http, HttpRequest, HttpResponse } from '../ports/http.ts';
import { judgeAddress } from './address-rules.ts';
import { isPrivateName, literalAddress, readOutgoingUrl } from './outgoing-url.ts';
import { createPinnedAgent } from './pinned-agent.ts';
import { isRedirect, redirect, sendableHeaders, type Hop } from './redirect.ts';

/**
 * The one way out to addresses that users give.
 *
 * Nothing about the other side is trusted. A name is resolved once, every address it has must be
 * allowed, and the connection goes to one of these very addresses, so that a name which resolves
 * otherwise a moment later gains nothing. Each redirect starts over with the same checks. One time
 * limit covers all of it, the size limit counts bytes as they arrive, and compressed bodies are
 * refused, so that what is sent is what is held. Proxies of the environment are not used: they would
 * connect for us, to an address nobody has checked.
 */
export function createSafeFetch(options: {
  /** Lets private, loopback and link-local addresses be reached; the forbidden ones never are. */
  readonly allowPrivate: boolean;
  /** Every address of a name; the system's resolver when not given. */
  readonly resolve?: Resolve;
}): Http {
  const { allowPrivate, resolve = resolveBySystem } = options;
  return {
    async fetch(request) {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      const signal = AbortSignal.any([timeout, ...(request.signal ? [request.signal] : [])]);
      try {
        return await follow({ request, signal, resolve, allowPrivate });
      } catch (error) {
        throw translate(error, { request, timeout });
      }
    },
  };
}

export type Resolve = (hostname: string) => Promise<readonly string[]>;

interface Way {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly resolve: Resolve;
  readonly allowPrivate: boolean;
}

async function follow(way: Way): Promise<HttpResponse> {
  const { method = 'GET', headers = {}, body = null, url } = way.request;
  let hop: Hop = {
    url: readOutgoingUrl(url),
    method,
    headers: sendableHeaders(headers),
    body,
  };
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await exchange(hop, way);
    if (!isRedirect(response)) return response;
    hop = redirect(hop, response);
  }
  throw new HttpError('too_many_redirects', hop.url.host);
}

async function exchange(hop: Hop, way: Way): Promise<HttpResponse> {
  const { request, signal } = way;
  const addresses = await untilAborted(signal, findAddresses(hop.url, way));
  const agent = createPinnedAgent({ addresses, connectTimeoutMs: request.timeoutMs });
  try {
    const answer = await agent.request({
      origin: hop.url.origin,
      path: `${hop.url.pathname}${hop.url.search}`,
      method: hop.method,
      headers: {
        'user-agent': 'svc',
        accept: '*/*',
        ...hop.headers,
        'accept-encoding': 'identity',
      },
      body: hop.body,
      signal,
      // The limit on the whole is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { statusCode: status, body } = answer;
    const headers = joinHeaders(answer.headers);
    const found = { status, headers, url: hop.url.href };
    if (isRedirect(found)) return { ...found, body: new Uint8Array() };
    refuseEncoded(headers, hop.url);
    const bytesMax = request.responseBytesMax;
    return { ...found, body: await readWithin(body, { bytesMax, url: hop.url }) };
  } finally {
    await agent.destroy();
  }
}

/** One address that may not be reached refuses the name: an honest name has none among others. */
async function findAddresses(url: URL, way: Way): Promise<readonly string[]> {
  const literal = literalAddress(url);
  if (literal === null && isPrivateName(url) && !way.allowPrivate) {
    throw new HttpError('refused_address', url.host);
  }
  const addresses = literal === null ? await way.resolve(url.hostname) : [literal];
  if (addresses.length === 0) throw new HttpError('unreachable', url.host);
  for (const address of addresses) {
    const judgement = judgeAddress(address);
    if (judgement === 'public' || (judgement === 'private' && way.allowPrivate)) continue;
    throw new HttpError('refused_address', url.host);
  }
  return addresses;
}

function refuseEncoded(headers: HttpResponse['headers'], url: URL): void {
  const encoding = headers['content-encoding'] ?? '';
  if (!['', 'identity'].includes(encoding.toLowerCase())) throw new HttpError('encoded', url.host);
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

/** What goes wrong on the way is one thing to the caller; the cause keeps which, for the log. */
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

/** A resolver cannot be stopped; it is not waited for any longer. */
function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const end = () => aborted.reject(new Error('stopped waiting for the resolver'));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([work, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', end),
  );
}

function joinHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

const REDIRECTS_MAX = 3;
