import type { RouterContext } from '@koa/router';
import type { Context, Middleware, Next } from 'koa';

/** What the middleware keeps of a request on its way. */
export interface ApiState {
  requestId: string;
  /** The matched route's template; for metrics and logs. */
  route: string;
  /** Whose it is; absent until the caller is known. */
  tenantId?: string;
  /** The execution that was started, or that the answer is about. */
  executionId?: string;
}

export type ApiContext = Context & { state: ApiState };
export type ApiRouteContext = RouterContext<ApiState>;
export type ApiMiddleware = Middleware<ApiState>;
export type { Next };
