import { badRequest } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';

/**
 * Refuses addresses that cannot be read one way only: broken percent-encoding (lone surrogates are
 * that, in UTF-8) and U+0000, which PostgreSQL cannot store and SQLite can.
 */
export function refuseMalformedUrl(ctx: ApiContext): void {
  // RFC 9112, section 3.2; Node's own answer to this would have no body.
  if (ctx.req.httpVersionMinor >= 1 && !ctx.req.headers.host) {
    throw badRequest('the Host header is missing');
  }
  readEncoded(pathOf(ctx), 'path');
}

function pathOf(ctx: ApiContext): string {
  const target = ctx.req.url ?? '';
  // Absolute form (RFC 9112, section 3.2.2) is for proxies, but servers must accept it too.
  if (!target.startsWith('/') && target !== '*' && !URL.canParse(target)) {
    throw badRequest('the request target is not a URL');
  }
  return ctx.path;
}

/** The query parameters of these names. Others are ignored; one of these given twice is a 400. */
export function readQuery(params: {
  readonly querystring: string;
  readonly names: readonly string[];
}): Readonly<Record<string, string>> {
  const query = new Map<string, string>();
  for (const pair of params.querystring.split('&')) {
    const [name = '', ...rest] = pair.split('=');
    const decodedName = readEncoded(name, 'query');
    const value = readEncoded(rest.join('='), 'query');
    if (!params.names.includes(decodedName)) continue;
    if (query.has(decodedName)) throw badRequest(`${decodedName} is given more than once`);
    query.set(decodedName, value);
  }
  return Object.fromEntries(query);
}

function readEncoded(text: string, part: 'path' | 'query'): string {
  // Most names and values are as they are written.
  if (!/[%+\0]/.test(text)) return text;
  const decoded = decodeOrNull(part === 'query' ? text.replaceAll('+', ' ') : text);
  if (decoded === null) throw badRequest(`the ${part} is not percent-encoded UTF-8`);
  if (decoded.includes('\0')) throw badRequest(`the ${part} holds U+0000`);
  return decoded;
}

function decodeOrNull(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
