import { isLoopback } from '../../shared/config/check-config.ts';
import { SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';
import type { ApiSettings } from '../deps.ts';

/**
 * Refuses what a web page from elsewhere sends through the browser of someone whom this API would
 * let in. It matters where the browser itself brings what lets a request in: its client certificate,
 * or, without authentication, its place in the network. No page can make it send a token.
 *
 * Browsers say where a request comes from in `Origin` and `Sec-Fetch-Site`, which no page can
 * change; clients that are no browsers send neither. Without authentication a name of somebody
 * else's may lead here too (DNS rebinding), so that `Host` must be one of this service's own.
 */
export function refuseForeignPages(ctx: ApiContext, rules: PageRules): void {
  const isOurName = (hostname: string) =>
    hostname === new URL(rules.publicUrl).hostname ||
    isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
  const host = ctx.get('Host');
  if (rules.isOpen && isReachedOverLoopback(ctx)) {
    const hostname = readUrl(`http://${host}`)?.hostname;
    if (hostname === undefined || !isOurName(hostname)) throw refuse(`the host ${host}`);
  }
  const origin = ctx.get('Origin');
  const site = ctx.get('Sec-Fetch-Site');
  // A proxy may have changed `Host`. The browser compares the addresses that it knows itself, over all
  // redirects. A page of a rebound name is of the same origin too, but it has no credentials: cookies
  // belong to a name, and the certificate of this service is not one of that name.
  const isOwnPage = site === 'same-origin' && !rules.isOpen;
  if (origin !== '' && !isOwnPage && !isOwnOrigin(readUrl(origin))) {
    throw refuse(`the origin ${origin}`);
  }
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (isForeign && !isVisit(ctx)) throw refuse(`a page that is ${site}`);

  /** The address that the request itself was sent to, or the public one. */
  function isOwnOrigin(url: URL | null): boolean {
    if (url === null) return false;
    if (url.origin === new URL(rules.publicUrl).origin) return true;
    return url.host === host.toLowerCase() && (!rules.isOpen || isOurName(url.hostname));
  }
}

export interface PageRules {
  readonly publicUrl: string;
  /** Everyone who can reach it is let in. */
  readonly isOpen: boolean;
}

/** Whether a browser attaches the credentials of this request automatically. */
export function isJudgedByBrowser(ctx: ApiContext, auth: ApiSettings['auth']): boolean {
  if (!auth.enabled) return true;
  return auth.method?.kind === 'mtls' && ctx.req.headers.authorization === undefined;
}

/** Somebody follows a link: the page that has it reads nothing of the answer, and reads change nothing. */
function isVisit(ctx: ApiContext): boolean {
  const reads = ctx.method === 'GET' || ctx.method === 'HEAD';
  const isWhole = ctx.get('Sec-Fetch-Dest') === 'document';
  return reads && isWhole && ctx.get('Sec-Fetch-Mode') === 'navigate';
}

/** Elsewhere a process without authentication was put before everyone on purpose. */
function isReachedOverLoopback(ctx: ApiContext): boolean {
  return isLoopback((ctx.req.socket.localAddress ?? '').replace(/^::ffff:/, ''));
}

function readUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function refuse(what: string): SvcError {
  const detail = `${what} is not this service; set SVC_PUBLIC_URL if it is`;
  return new SvcError('foreign_page', detail);
}
