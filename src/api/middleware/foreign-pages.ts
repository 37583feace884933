import { isLoopback } from '../../shared/config/check-config.ts';
import { SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext } from '../context.ts';

/**
 * Refuses what a web page from elsewhere sends through the browser of someone who can reach this
 * API, by a name of its own that it lets point to this machine (DNS rebinding). Browsers say where a
 * page comes from in `Origin`; clients that are no browsers don't send it. Where no token is asked
 * for, `Host` must name this machine too, since for such a page everything is its own origin.
 */
export function refuseForeignPages(
  ctx: ApiContext,
  rules: { readonly publicUrl: string; readonly isOpen: boolean },
): void {
  const own = new URL(rules.publicUrl).hostname;
  const isOurs = (hostname: string | null) =>
    hostname !== null && (hostname === own || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')));
  const origin = ctx.get('Origin');
  if (origin !== '' && !isOurs(hostnameOf(origin))) throw refuse(`the origin ${origin}`);
  const host = ctx.get('Host');
  if (rules.isOpen && reachedOverLoopback(ctx) && !isOurs(hostnameOf(`http://${host}`))) {
    throw refuse(`the host ${host}`);
  }
}

/** Elsewhere a process without authentication was put before everyone on purpose. */
function reachedOverLoopback(ctx: ApiContext): boolean {
  return isLoopback((ctx.req.socket.localAddress ?? '').replace(/^::ffff:/, ''));
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

function refuse(what: string): SvcError {
  const detail = `${what} is not this service; set SVC_PUBLIC_URL if it is`;
  return new SvcError('foreign_page', detail);
}
