import type { Context } from 'koa';

import { badRequest, SvcError } from '../../shared/domain/errors.ts';
import type { ApiMiddleware } from '../context.ts';

/**
 * Refuses addresses that cannot be read one way only: broken percent-encoding (lone surrogates are
 * that, in UTF-8) and U+0000, which PostgreSQL cannot store and SQLite can.
 */
export function refuseMalformedUrls(): ApiMiddleware {
  return (ctx, next) => {
    // RFC 9112, section 3.2; Node's own answer to this would have no body.
    if (ctx.req.httpVersionMinor >= 1 && ctx.get('Host') === '') {
      throw badRequest('the Host header is missing');
    }
    readEncoded(pathOf(ctx), 'path');
    return next();
  };
}

function pathOf(ctx: Context): string {
  try {
    return ctx.path;
  } catch (cause) {
    throw new SvcError('bad_request', 'the request target is not a URL', { cause });
  }
}

/** The query as text by name. A name given twice is refused by whoever reads it. */
export function readQuery(querystring: string): Readonly<Record<string, string | string[]>> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string>;
  for (const pair of querystring.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = readEncoded(equals === -1 ? pair : pair.slice(0, equals), 'query');
    const value = equals === -1 ? '' : readEncoded(pair.slice(equals + 1), 'query');
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

function readEncoded(text: string, part: 'path' | 'query'): string {
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
