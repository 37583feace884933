import type { Context, Middleware, Next } from 'koa';

import type { JsonValue } from '../shared/domain/json.ts';

/** The state of a request between middleware. */
export interface ApiState {
  requestId: string;
  /** The matched route's template; for metrics and logs. */
  route: string;
  /** Whose it is; absent until the caller is known. */
  tenantId?: string;
  /** The execution that was started, or that the answer is about. */
  executionId?: string;
  /** The body that was parsed; absent: none was. */
  body?: JsonValue;
}

export type ApiContext = Context & { state: ApiState };
export type ApiMiddleware = Middleware<ApiState>;
export type { Next };
