import { Readable } from 'node:stream';

import { admitRequest } from './admit-request.ts';
import type { ApiContext, ServeRoute } from './context.ts';
import { decode } from './decode.ts';
import type { EndpointDeps } from './deps.ts';
import type { Answer, ApiRequest, Caller, Endpoint } from './endpoint.ts';
import { carriesBody, type ReadBody } from './middleware/body.ts';
import { readContent } from './middleware/content.ts';
import { readQuery } from './middleware/url.ts';
import { sendJson } from './send.ts';
import { watchCaller } from './watch-caller.ts';

/**
 * One endpoint as middleware of its route, so that no path can reach `handle` past its guard. The
 * order is the worker protocol's: 401, 403, then 400 for query and body, then what `handle` finds.
 */
export function serveEndpoint(params: {
  readonly endpoint: Endpoint;
  readonly deps: EndpointDeps;
  readonly readBody: ReadBody;
}): ServeRoute {
  const { endpoint, deps, readBody } = params;
  return async (ctx) => {
    ctx.state.route = endpoint.path;
    const { method, access } = endpoint;
    const caller = await admitRequest({ ctx, deps, method, access });
    const request = await readRequest({ ctx, endpoint, deps, readBody, caller });
    if (endpoint.streams !== null && request.prefersEventStream()) {
      deps.streamLimit.enter(caller.identity, ctx.res);
    }
    const answer = await endpoint.handle(request, deps);
    const { execution_id: executionId } = (answer.body ?? {}) as {
      readonly execution_id?: unknown;
    };
    if (typeof executionId === 'string') ctx.state.executionId = executionId;
    send(ctx, answer);
  };
}

async function readRequest(params: {
  readonly ctx: ApiContext;
  readonly endpoint: Endpoint;
  readonly deps: EndpointDeps;
  readonly readBody: ReadBody;
  readonly caller: Caller;
}): Promise<ApiRequest<unknown, unknown, unknown>> {
  const { ctx, endpoint, deps, readBody, caller } = params;
  const { method, access } = endpoint;
  const { querystring } = ctx;
  const query =
    endpoint.query &&
    decode(endpoint.query, readQuery({ querystring, names: Object.keys(endpoint.query.shape) }));
  const abandoned = () => watchCaller({ ctx, deps, method, access, caller });
  let gone: AbortSignal | null = null;
  const isAbsent = endpoint.bodyMayBeAbsent && !carriesBody(ctx);
  const body = endpoint.body && decode(endpoint.body, isAbsent ? {} : await readBody(ctx));
  return {
    params: endpoint.params ? decode(endpoint.params, ctx['params']) : {},
    query: query ?? {},
    body: body ?? {},
    caller,
    requestId: ctx.state.requestId,
    remoteAddress: ctx.req.socket.remoteAddress ?? 'unknown',
    header: (name) => ctx.get(name) || undefined,
    content: () => readContent(ctx),
    prefersEventStream: () => ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM,
    abandoned,
    waitForResult: () => {
      deps.resultWaitLimit.enter(caller.identity, ctx.res);
      return abandoned();
    },
    gone: () => (gone ??= goneSignal(ctx)),
  };
}

const EVENT_STREAM = 'text/event-stream';

function goneSignal(ctx: ApiContext): AbortSignal {
  const controller = new AbortController();
  if (ctx.res.destroyed) controller.abort();
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) controller.abort();
  });
  return controller.signal;
}

function send(ctx: ApiContext, answer: Answer): void {
  if (answer.body !== undefined) {
    sendJson(ctx, { ...answer, body: answer.body });
    return;
  }
  ctx.set(answer.headers ?? {});
  if (answer.stream !== undefined) {
    ctx.status = answer.status;
    ctx.type = EVENT_STREAM;
    // Proxies must pass each event on as it comes.
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = answer.stream;
  } else if (answer.pieces !== undefined) {
    ctx.status = answer.status;
    ctx.type = 'application/json';
    ctx.body = Readable.from(answer.pieces);
  } else if (answer.file !== undefined) {
    ctx.status = answer.status;
    ctx.body = answer.file.content;
    ctx.set('Content-Type', answer.file.contentType);
    ctx.set('Content-Length', String(answer.file.bytes));
  } else {
    ctx.status = answer.status;
  }
}
