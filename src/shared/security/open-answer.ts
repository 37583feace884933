import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';

import { HttpError } from '../domain/http-error.ts';
import { judgeAddress } from './address-rules.ts';
import { isPrivateName, literalAddress } from './outgoing-url.ts';
import { isRedirect, redirect, type Hop } from './redirect.ts';

/**
 * Sends a request to an address from a user, and reads the head of the answer.
 *
 * A name is resolved once, all its addresses must be allowed, and the connection goes to one of
 * exactly these addresses, so a name that resolves differently a moment later gains nothing. Each
 * redirect repeats the same checks. Compressed bodies are refused, so that the limit applies to the
 * content. Proxies of the environment are not used: they would connect for us, to an unchecked
 * address.
 *
 * Throws an `HttpError`, or the error of `signal` or the connection. The caller must close the
 * answer.
 */
export async function openAnswer(first: Hop, way: Way): Promise<OpenAnswer> {
  let hop = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const answer = await exchange(hop, way);
    if (!isRedirect(answer) || way.redirects === 'manual') {
      return { ...answer, redirected: redirects > 0 };
    }
    await answer.close();
    const next = redirect(hop, answer);
    if (way.redirects === 'same_origin' && next.url.origin !== hop.url.origin) {
      throw new HttpError('refused_redirect', hop.url.host);
    }
    hop = next;
  }
  throw new HttpError('too_many_redirects', hop.url.host);
}

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface Way {
  readonly resolve: Resolve;
  /** Lets private, loopback and link-local addresses be reached; the forbidden ones never are. */
  readonly allowPrivate: boolean;
  /** The configuration key of that, for the refusal of a private address. */
  readonly setting?: string | undefined;
  /** `same_origin`: for requests with a secret in their URL or body. `manual`: handed to the caller. */
  readonly redirects: 'follow' | 'same_origin' | 'manual';
  readonly signal: AbortSignal;
  /** For resolving, and again for connecting. */
  readonly connectTimeoutMs: number;
  /** Silence before the head of the answer, and between parts of its body; 0: only `signal` ends it. */
  readonly silenceMs: number;
}

export interface OpenAnswer {
  readonly status: number;
  /** Names in lower case; what came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: URL;
  readonly redirected: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection, read to its end or not. */
  close(): Promise<void>;
}

async function exchange(hop: Hop, way: Way): Promise<Omit<OpenAnswer, 'redirected'>> {
  const { signal, connectTimeoutMs, silenceMs } = way;
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(connectTimeoutMs)]);
  const addresses = await untilAborted(waiting, findAddresses(hop.url, way));
  // With it comes a whole HTTP client, which a process that sends nothing never needs.
  const { createPinnedAgent } = await import('./pinned-agent.ts');
  const agent = createPinnedAgent({ addresses, connectTimeoutMs });
  const close = () => agent.destroy();
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
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
    // An unread body fails when the connection is closed under it; nobody waits to hear that.
    answer.body.on('error', () => undefined);
    const { statusCode: status, body } = answer;
    const found = { status, headers: joinHeaders(answer.headers), url: hop.url, body, close };
    if (!isRedirect(found)) refuseEncoded(found.headers, hop.url);
    return found;
  } catch (error) {
    await close();
    throw error;
  }
}

/** One address that may not be reached refuses the name: an honest name has none among others. */
async function findAddresses(url: URL, way: Way): Promise<readonly string[]> {
  const literal = literalAddress(url);
  if (literal === null && isPrivateName(url) && !way.allowPrivate) {
    throw new HttpError('refused_address', url.host, { setting: way.setting });
  }
  const addresses = literal === null ? await way.resolve(url.hostname) : [literal];
  if (addresses.length === 0) throw new HttpError('unreachable', url.host);
  for (const address of addresses) {
    const judgement = judgeAddress(address);
    if (judgement === 'public' || (judgement === 'private' && way.allowPrivate)) continue;
    const setting = judgement === 'private' ? way.setting : undefined;
    throw new HttpError('refused_address', url.host, { setting });
  }
  return addresses;
}

function refuseEncoded(headers: OpenAnswer['headers'], url: URL): void {
  const encoding = headers['content-encoding'] ?? '';
  if (!['', 'identity'].includes(encoding.toLowerCase())) throw new HttpError('encoded', url.host);
}

/** A resolver cannot be stopped; it is not waited for any longer. */
function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const end = () => aborted.reject(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([work, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', end),
  );
}

function joinHeaders(headers: IncomingHttpHeaders): OpenAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

export async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

const REDIRECTS_MAX = 3;
