import { METHODS, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

import { parseTraceparent } from '../../shared/domain/traceparent.ts';
import type { ApiContext, ApiState } from '../context.ts';
import type { RequestReport } from '../deps.ts';

/** Reports a request once, when its answer is out or its connection has ended. */
export function reportRequest(
  ctx: ApiContext,
  params: {
    readonly onRequest: (report: RequestReport) => void;
    readonly now: () => number;
  },
): void {
  const startedAt = params.now();
  // Without the context, which a stream would keep for as long.
  const { req, res, method, state } = ctx;
  // Closed once; `once` itself would keep more than this function does.
  res.on('close', () => {
    params.onRequest({
      method: KNOWN_METHODS.has(method) ? method : 'OTHER',
      route: state.route,
      status: res.headersSent ? res.statusCode : CALLER_LEFT,
      seconds: (params.now() - startedAt) / 1000,
      // Few want them, so they are looked up only then.
      get ids() {
        return idsOf(state, req);
      },
    });
  });
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** No answer was begun because the caller closed the connection; the number nginx gives to that. */
const CALLER_LEFT = 499;

/** The log fields of routes whose `:id` the log contains. */
const NAMED_BY_ROUTE = [
  ['/executions/:id', 'execution_id'],
  ['/work-items/:id', 'work_item_id'],
] as const;

function idsOf(state: ApiState, { headers }: IncomingMessage): Readonly<Record<string, string>> {
  const { requestId, route, routeId: id = '', tenantId, executionId } = state;
  const named = NAMED_BY_ROUTE.find(([path]) => route.startsWith(path));
  const trace = parseTraceparent(traceparentOf(headers));
  return {
    request_id: requestId,
    ...(tenantId !== undefined && { tenant_id: tenantId }),
    // As the caller has written it, so nothing but what an id may look like.
    ...(named !== undefined && /^[\w-]{1,64}$/.test(id) && { [named[1]]: id }),
    ...(executionId !== undefined && { execution_id: executionId }),
    ...(trace !== null && { trace_id: trace.traceId }),
  };
}

/** Node joins the values of a header that is sent twice. */
function traceparentOf({ traceparent }: IncomingHttpHeaders): string {
  return typeof traceparent === 'string' ? traceparent : '';
}
