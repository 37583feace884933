import { Readable } from 'node:stream';

import { admitRequest } from './admit-request.ts';
import type { ApiContext, ServeRoute } from './context.ts';
import { decode, decodeBody } from './decode.ts';
import type { EndpointDeps } from './deps.ts';
import type { Answer, ApiRequest, Caller, Endpoint } from './endpoint.ts';
import { carriesBody, type ReadBody } from './middleware/body.ts';
import { readContent, type RequestContent } from './middleware/content.ts';
import { readQuery } from './middleware/url.ts';
import { handleLagging, mayAnswerLag } from './handle-lagging.ts';
import { type LongAnswer, watchBySignal, type WatchedAnswer } from './watch-callers.ts';
import { EVENT_STREAM, openEventStream, sendJson } from './send.ts';

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
    const { id } = (ctx['params'] ?? {}) as { readonly id?: string };
    if (id !== undefined) ctx.state.routeId = id;
    const { method, access } = endpoint;
    const caller = await admitRequest({ ctx, deps, method, access });
    const request = await readRequest({ ctx, endpoint, deps, readBody, caller });
    if (endpoint.streams !== null && request.prefersEventStream()) {
      deps.streamLimit.enter(caller.identity, ctx.res);
    }
    const answer = await (endpoint.readsMayLag && mayAnswerLag(ctx)
      ? handleLagging(endpoint, request, deps)
      : endpoint.handle(request, deps));
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
  const { querystring } = ctx;
  const query =
    endpoint.query &&
    decode(endpoint.query, readQuery({ querystring, names: Object.keys(endpoint.query.shape) }));
  const isAbsent = endpoint.bodyMayBeAbsent && !carriesBody(ctx);
  const given = endpoint.body === null || isAbsent ? {} : await readBody(ctx);
  const body = decodeBody(endpoint, given);
  return new ServedRequest({
    ctx,
    deps,
    endpoint,
    caller,
    params: endpoint.params ? decode(endpoint.params, ctx['params']) : {},
    query: query ?? {},
    body,
  });
}

/** A class, so that a request that waits keeps no function for each of its questions. */
class ServedRequest implements ApiRequest<unknown, unknown, unknown> {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller;
  readonly #ctx: ApiContext;
  readonly #deps: EndpointDeps;
  readonly #endpoint: Endpoint;
  #abandoned: AbortSignal | null = null;
  #gone: AbortSignal | null = null;

  constructor(given: {
    readonly ctx: ApiContext;
    readonly deps: EndpointDeps;
    readonly endpoint: Endpoint;
    readonly caller: Caller;
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
  }) {
    this.params = given.params;
    this.query = given.query;
    this.body = given.body;
    this.caller = given.caller;
    this.#ctx = given.ctx;
    this.#deps = given.deps;
    this.#endpoint = given.endpoint;
  }

  get requestId(): string {
    return this.#ctx.state.requestId;
  }

  get remoteAddress(): string {
    return this.#ctx.req.socket.remoteAddress ?? 'unknown';
  }

  header(name: string): string | undefined {
    return this.#ctx.get(name) || undefined;
  }

  content(): RequestContent {
    return readContent(this.#ctx);
  }

  prefersEventStream(): boolean {
    return this.#ctx.accepts('application/json', EVENT_STREAM) === EVENT_STREAM;
  }

  abandoned(): AbortSignal {
    this.#abandoned ??= watchBySignal(this.#deps.callerWatches, this.#watched());
    return this.#abandoned;
  }

  watch(long: LongAnswer): void {
    this.#deps.callerWatches.watch(this.#watched(), long);
  }

  waitForResult(): AbortSignal {
    this.#deps.resultWaitLimit.enter(this.caller.identity, this.#ctx.res);
    return this.abandoned();
  }

  #watched(): WatchedAnswer {
    const { req, res } = this.#ctx;
    const { method, access } = this.#endpoint;
    return { req, res, method, access, caller: this.caller };
  }

  gone(): AbortSignal {
    this.#gone ??= goneSignal(this.#ctx);
    return this.#gone;
  }
}

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
  if (answer.live !== undefined) {
    openEventStream(ctx, answer.live);
    return;
  }
  ctx.set(answer.headers ?? {});
  if (answer.pieces !== undefined) {
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
