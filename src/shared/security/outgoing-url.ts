import { isIP } from 'node:net';

import { HttpError } from '../domain/http-error.ts';

export const URL_CHARACTERS_MAX = 2048;

/**
 * Reads a URL that may be called, or throws `bad_url`. The WHATWG parser brings every spelling of
 * an IPv4 address (decimal, octal, hexadecimal, short) to dotted decimals and refuses zone ids.
 */
export function readOutgoingUrl(text: string, base?: URL): URL {
  const isReadable = text.length <= URL_CHARACTERS_MAX && URL.canParse(text, base?.href);
  if (!isReadable) throw new HttpError('bad_url', 'the address');
  const url = new URL(text, base?.href);
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isHttp || url.username !== '' || url.password !== '' || url.hostname === '') {
    throw new HttpError('bad_url', 'the address');
  }
  url.hash = '';
  return url;
}

/** The literal IP address of the URL; null: its host is a name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

/**
 * Names that always mean this machine or a private network (RFC 6761, RFC 6762, RFC 8375, ICANN's
 * `internal`). Their addresses would be refused too; this check saves the resolver's query.
 */
export function isPrivateName(url: URL): boolean {
  const name = url.hostname.replace(/\.$/, '');
  return /(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}
