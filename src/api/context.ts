import type { Context } from 'koa';

import type { JsonValue } from '../shared/domain/json.ts';

/** The state of a request between middleware. */
export interface ApiState {
  requestId: string;
  /** The matched route's template; for metrics and logs. */
  route: string;
  /** Aborted when nobody else is to come: connections are closed after their answer. */
  leaving: AbortSignal;
  /** Whose it is; absent until the caller is known. */
  tenantId?: string;
  /** The `:id` of the route, as the caller has written it. */
  routeId?: string;
  /** The execution that was started, or that the answer is about. */
  executionId?: string;
  /** The body that was parsed; absent: none was. */
  body?: JsonValue;
}

export type ApiContext = Context & { state: ApiState };
/** Serves the requests of a route: its path and method are known to match. */
export type ServeRoute = (ctx: ApiContext) => Promise<void>;
