import type { ApiContext, ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import { createServeConsoleApi, CONSOLE_API_PATH } from './serve-console-api.ts';
import { createServeFiles } from './serve-files.ts';

const CONSOLE_PATH = '/console';

/** Whether the console may serve a request. Every request passes this, so it only compares text. */
export function isOfConsole(path: string): boolean {
  return path === '/' || path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
}

/**
 * Serves the console: its page and files to anyone, and the API below `/console/api` to a signed-in
 * browser. All addresses are relative, so a proxy may put any prefix before them and strip it.
 */
export function createServeConsole(params: {
  readonly deps: EndpointDeps;
  readonly folder: string;
  /** Serves the routes of the API. */
  readonly serve: ServeRoute;
  /** The same for a request that does not belong to the console. */
  readonly serveOutside: ServeRoute;
}): ServeRoute {
  const { deps, folder, serve, serveOutside } = params;
  const serveApi = createServeConsoleApi({ deps, serve });
  const serveFiles = createServeFiles({ folder, randomBytes: deps.randomBytes });
  return async (ctx) => {
    const { path } = ctx;
    if (path === '/') return prefersPage(ctx) ? redirectToConsole(ctx, '/') : serveOutside(ctx);
    if (path === CONSOLE_PATH) return redirectToConsole(ctx, CONSOLE_PATH);
    if (path === CONSOLE_API_PATH || path.startsWith(`${CONSOLE_API_PATH}/`)) return serveApi(ctx);
    return serveFiles(ctx, path.slice(CONSOLE_PATH.length + 1));
  };
}

/** A browser that a person points at the service's address. Programs get the links as JSON. */
function prefersPage(ctx: ApiContext): boolean {
  const reads = ctx.method === 'GET' || ctx.method === 'HEAD';
  return reads && ctx.accepts('application/json', 'text/html') === 'text/html';
}

function redirectToConsole(ctx: ApiContext, route: string): void {
  ctx.state.route = route;
  ctx.status = 302;
  ctx.set({ Location: 'console/', Vary: 'Accept' });
  ctx.body = '';
}
