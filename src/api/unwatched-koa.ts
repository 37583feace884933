import Koa from 'koa';

import type { ApiContext, ApiState } from './context.ts';

type Serve = (ctx: ApiContext) => Promise<unknown>;

/** Koa calls it for each request; its types leave it out. */
interface HandlesRequests {
  handleRequest(ctx: ApiContext, serve: Serve): Promise<unknown>;
}

const watched = Koa.prototype as unknown as HandlesRequests;

/**
 * Koa watches the socket of each request until its answer has ended: twenty functions and objects,
 * which a request that waits keeps for as long. Here it begins to do so when a handler leaves the
 * answer to it. An answer that a handler sends itself is one for Node's server alone.
 */
export class UnwatchedKoa extends Koa<ApiState> implements HandlesRequests {
  handleRequest(ctx: ApiContext, serve: Serve): Promise<unknown> {
    ctx.res.statusCode = 404;
    return serve(ctx).then(
      () => this.#end(ctx),
      (error: Error) => ctx.onerror(error),
    );
  }

  #end(ctx: ApiContext): Promise<unknown> | null {
    if (ctx.respond === false) return null;
    const { res } = ctx;
    const { statusCode } = res;
    return watched.handleRequest.call(this, ctx, async () => void (res.statusCode = statusCode));
  }
}
