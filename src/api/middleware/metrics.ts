import { METHODS } from 'node:http';

import type { ApiMiddleware } from '../context.ts';
import type { RequestReport } from '../deps.ts';

/** Reports each request once, when its answer is out or its connection has ended. */
export function reportRequests(params: {
  readonly onRequest: (report: RequestReport) => void;
  readonly now: () => number;
}): ApiMiddleware {
  return (ctx, next) => {
    const startedAt = params.now();
    ctx.res.once('close', () => {
      params.onRequest({
        method: METHODS.includes(ctx.method) ? ctx.method : 'OTHER',
        route: ctx.state.route,
        status: ctx.res.headersSent ? ctx.res.statusCode : CALLER_LEFT,
        seconds: (params.now() - startedAt) / 1000,
      });
    });
    return next();
  };
}

/** No answer was begun because the caller closed the connection; the number nginx gives to that. */
const CALLER_LEFT = 499;
