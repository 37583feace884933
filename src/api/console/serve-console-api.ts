import { SvcError } from '../../shared/domain/errors.ts';
import type { ApiContext, ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import { refuseForeignPages } from '../middleware/foreign-pages.ts';
import { createServeSession } from './serve-session.ts';
import { readSessionToken } from './session-cookie.ts';

export const CONSOLE_API_PATH = '/console/api';
const SESSION_PATH = '/session';

/**
 * The API for the console's page: the same routes, authorised by the session's cookie. A browser
 * attaches the cookie automatically, so each request must come from this service's own page.
 * Nothing outside this path looks at cookies.
 */
export function createServeConsoleApi(params: {
  readonly deps: EndpointDeps;
  readonly serve: ServeRoute;
}): ServeRoute {
  const { deps, serve } = params;
  const serveSession = createServeSession(deps);
  return async (ctx) => {
    refuseForeignPages(ctx, {
      publicUrl: deps.publicUrl(),
      isOpen: !deps.settings.auth.enabled,
    });
    refuseBareChange(ctx);
    authorizeByCookie(ctx);
    const path = ctx.path.slice(CONSOLE_API_PATH.length);
    if (path === SESSION_PATH) return serveSession(ctx);
    ctx.url = `${path === '' ? '/' : path}${ctx.search}`;
    await serve(ctx);
  };
}

/** A page of another origin cannot send this header unless this service allows it, which it never does. */
function refuseBareChange(ctx: ApiContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS') return;
  if (ctx.get('X-Svc-Console') !== '') return;
  throw new SvcError('foreign_page', 'requests of the console carry the header X-Svc-Console');
}

/** A header that a proxy has added, such as its own password's, must not count as the caller's. */
function authorizeByCookie(ctx: ApiContext): void {
  const token = readSessionToken(ctx.req.headers.cookie);
  if (token === null) delete ctx.req.headers.authorization;
  else ctx.req.headers.authorization = `Bearer ${token}`;
}
