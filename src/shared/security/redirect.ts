import type { HttpRequest, HttpResponse } from '../ports/http.ts';
import { readOutgoingUrl } from './outgoing-url.ts';

/** One exchange of a call: the first, or one that a redirect leads to. */
export interface Hop {
  readonly url: URL;
  readonly method: NonNullable<HttpRequest['method']>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

type Head = Pick<HttpResponse, 'status' | 'headers'>;

export function isRedirect({ status, headers }: Head): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers['location'] !== undefined;
}

/** The exchange that follows, by the Fetch standard ("HTTP-redirect fetch"). */
export function redirect(hop: Hop, { status, headers }: Head): Hop {
  const url = readOutgoingUrl(headers['location'] ?? '', hop.url);
  const kept = url.origin === hop.url.origin ? hop.headers : harmless(hop.headers);
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST');
  if (!becomesGet) return { ...hop, url, headers: kept };
  const { 'content-type': _, ...bodiless } = kept;
  return { url, method: 'GET', headers: bodiless, body: null };
}

/** The headers that a caller may set: none that frame the message or describe the connection. */
export function sendableHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(named.filter(([name = '']) => !CONNECTION_HEADERS.test(name)));
}

/** A key may be in a header of any name, so another origin gets only those that hold none. */
function harmless(headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.includes(name)));
}

const CONNECTION_HEADERS =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/;
const HARMLESS = ['accept', 'accept-language', 'content-type', 'user-agent'];
