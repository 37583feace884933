import { Router } from '@koa/router';
import type { RequestListener } from 'node:http';

import { isNotFound } from '../shared/domain/errors.ts';
import type { JsonObject } from '../shared/domain/json.ts';
import { warnOnce } from '../shared/telemetry/outage-lines.ts';
import { createExposedList } from './a2a/exposed-list.ts';
import { serveA2a } from './a2a/serve-a2a.ts';
import { A2A_PATH } from './a2a/workflow-agent-card.ts';
import type { ApiContext, ApiState, ServeRoute } from './context.ts';
import { authenticatorOf } from './authenticator-of.ts';
import { createDatabaseProbe } from './database-probe.ts';
import type { ApiDeps, EndpointDeps } from './deps.ts';
import { createServeConsole, isOfConsole } from './console/serve-console.ts';
import type { Endpoint } from './endpoint.ts';
import { DOCS_PATH, serveDocs } from './docs-page/serve-docs.ts';
import { createReadBody, createReadJson, type ReadBody } from './middleware/body.ts';
import { createRouteTable, type Route } from './match-route.ts';
import { LARGE_NESTING_MAX } from './middleware/json-bounds.ts';
import { answerError } from './middleware/errors.ts';
import { isJudgedByBrowser, refuseForeignPages } from './middleware/foreign-pages.ts';
import { createResultWaitLimit, createStreamLimit } from './middleware/limit-answers.ts';
import { createRateLimit } from './middleware/limit-rate.ts';
import { reportRequest } from './middleware/metrics.ts';
import { beginRequest, completeHeaders } from './middleware/request-context.ts';
import { answerUnmatched } from './middleware/unmatched.ts';
import { refuseMalformedUrl } from './middleware/url.ts';
import { MCP_PATH, serveMcp } from './mcp/serve-mcp.ts';
import { buildOpenApi } from './openapi/openapi.ts';
import { listPermitted } from './permitted-routes.ts';
import { routes } from './routes.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { admissionOf } from './admit-request.ts';
import { objectionToCaller } from './middleware/authenticate.ts';
import { createCallerWatches, type WatchedAnswer } from './watch-callers.ts';
import { UnwatchedKoa } from './unwatched-koa.ts';

export interface Api {
  readonly handle: RequestListener;
  /** Says on `/ready` that nobody else is to come, and has connections closed after their answer. */
  leave(): void;
  /** Ends long polls and event streams. */
  drain(): void;
  /** Called when no request is left. */
  close(): Promise<void>;
}

/** The HTTP API as a request handler. Koa calls one function; what it calls, in which order, is below. */
export function createApi(given: ApiDeps): Api {
  const deps = { ...given, log: warnOnce(given.log, given.now) };
  const draining = new AbortController();
  const leaving = new AbortController();
  const endpointDeps = withOwnState(deps, { draining: draining.signal, leaving: leaving.signal });

  const app = new UnwatchedKoa();
  const serve = serveRoutes(listRoutes(endpointDeps));
  const serveOutside: ServeRoute = (ctx) => {
    // Before any route, so that none can be forgotten.
    refuseForeignPagesOf(ctx, deps);
    // Authenticate, authorize, query, body, handle: see serve-endpoint.ts.
    return serve(ctx);
  };
  const { console: files } = deps.settings;
  const serveConsole =
    files && createServeConsole({ ...files, deps: endpointDeps, serve, serveOutside });
  app.use(async (ctx) => {
    beginRequest(ctx, { newRequestId: deps.newRequestId, leaving: leaving.signal });
    reportRequest(ctx, deps);
    try {
      refuseMalformedUrl(ctx);
      if (serveConsole !== null && isOfConsole(ctx.path)) await serveConsole(ctx);
      else await serveOutside(ctx);
    } catch (error) {
      await answerError(ctx, error, deps.log);
    }
    completeHeaders(ctx);
  });
  // Errors while an answer is being sent. A caller that leaves its stream is not reported.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== undefined && CALLER_LEFT.has(error.code)) return;
    deps.log.warn({ err: error }, 'answer was not sent whole');
  });

  const callback = app.callback();
  return {
    handle: (request, response) => void callback(request, response),
    leave: () => leaving.abort(),
    drain: () => {
      leaving.abort();
      draining.abort();
    },
    close: () => endpointDeps.authenticator.close(),
  };
}

const CALLER_LEFT: ReadonlySet<string> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'EPIPE',
  'ECONNRESET',
]);

function refuseForeignPagesOf(ctx: ApiContext, deps: ApiDeps): void {
  const { auth } = deps.settings;
  if (!isJudgedByBrowser(ctx, auth)) return;
  refuseForeignPages(ctx, { publicUrl: deps.publicUrl(), isOpen: !auth.enabled });
}

/** The body of such a request may name what is not found. */
const CARRIES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Workers and clients ask for these all day. */
const HOT = /^\/(?:work-items|executions)(?:\/|$)/;

/** The routes that are hot are found by a table, all others by the router. */
function serveRoutes(all: readonly Route<ServeRoute>[]): ServeRoute {
  const table = createRouteTable(all.filter(({ path }) => HOT.test(path)));
  const router = new Router<ApiState>({ sensitive: true, strict: true });
  for (const { method, path, served } of all) router.register(path, [method], served);
  const fixed = Map.groupBy(
    all.filter(({ path }) => !path.includes(':')),
    ({ path }) => path,
  );
  const serveOther = router.routes();
  // No `async`, which a request that waits would keep a frame of.
  return (ctx) => {
    const found = table.find(ctx.method, ctx.path);
    if (found !== null) {
      ctx['params'] = found.params;
      return found.served(ctx);
    }
    const refuse = async () => answerUnmatched(ctx, methodsFor(router, ctx.path));
    if (table.hasFixed(ctx.path)) return refuse();
    const asked = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const own = fixed.get(ctx.path);
    const isOther = own !== undefined && !own.some(({ method }) => method === asked);
    const served = serveOther(ctx as never, refuse);
    return isOther && !CARRIES_BODY.has(asked) ? unlessNotFound(served, refuse) : served;
  };
}

/**
 * Callers choose the ids of workflows and agents, so one may be called as a path of another method. Where
 * none is, the method is what is wrong with the request.
 */
async function unlessNotFound(served: unknown, refuse: () => Promise<void>): Promise<void> {
  try {
    await served;
  } catch (error) {
    if (isNotFound(error)) return refuse();
    throw error;
  }
}

/** The methods of routes with exactly this path, or else of routes with parameters that match it. */
function methodsFor(router: Router<ApiState>, path: string): readonly string[] {
  const layers = router.match(path, 'OPTIONS').path;
  const fewest = Math.min(...layers.map(({ paramNames }) => paramNames.length));
  return layers
    .filter((layer) => layer.paramNames.length === fewest)
    .flatMap(({ methods }) => methods);
}

function listRoutes(deps: EndpointDeps): readonly Route<ServeRoute>[] {
  const { bodyBytesMax, mcp } = deps.settings;
  const readBody = createReadBody({ bodyBytesMax });
  const readJson = createReadJson({ bodyBytesMax });
  const a2a = serveA2a({ deps, readBody });
  return [
    ...routes.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      served: serveEndpoint({ endpoint, deps, readBody: readerOf(endpoint, deps) ?? readBody }),
    })),
    { method: 'GET', path: DOCS_PATH, served: serveDocs(deps) },
    { method: 'POST', path: A2A_PATH, served: a2a },
    // Some clients add a slash to the address of the card.
    { method: 'POST', path: `${A2A_PATH}/`, served: a2a },
    ...(mcp
      ? [{ method: 'POST' as const, path: MCP_PATH, served: serveMcp({ deps, readJson }) }]
      : []),
  ];
}

/** Null: its bodies are as large as everybody's. */
function readerOf({ largeBody }: Endpoint, { settings }: EndpointDeps): ReadBody | null {
  if (largeBody === null) return null;
  return createReadBody({
    bodyBytesMax: Math.max(largeBody.bytesMax, settings.bodyBytesMax),
    nestingMax: largeBody.checksEntries === true ? null : LARGE_NESTING_MAX,
  });
}

function withOwnState(
  deps: ApiDeps,
  signals: Pick<EndpointDeps, 'draining' | 'leaving'>,
): EndpointDeps {
  let openApi: JsonObject | null = null;
  const { draining } = signals;
  const recheckMs = deps.settings.callerRecheckMs;
  const objectionTo = ({ caller, ...asked }: WatchedAnswer) =>
    objectionToCaller({ ...admissionOf({ ...asked, deps: own }), caller });
  const own: EndpointDeps = {
    ...deps,
    ...signals,
    authenticator: authenticatorOf(deps),
    rateLimit: createRateLimit({ now: deps.now }),
    streamLimit: createStreamLimit(deps.settings.streamsPerToken),
    resultWaitLimit: createResultWaitLimit(deps.settings.resultWaitsPerToken),
    exposed: createExposedList({ engine: deps.engine, now: deps.now }),
    database: createDatabaseProbe({ ping: deps.ping, now: deps.now }),
    permittedTo: (identity) => listPermitted({ routes, identity, rules: deps.settings.auth }),
    callerWatches: createCallerWatches({ draining, recheckMs, objectionTo }),
    openApi: () => (openApi ??= buildOpenApi({ routes, version: deps.version })),
  };
  return own;
}
