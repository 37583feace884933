import type { RequestReport } from '../../src/api/deps.ts';
import type { EngineReport } from '../../src/shared/engine/deps.ts';
import type { Logger } from '../../src/shared/telemetry/log.ts';

/*
 * What happens to requests, attempts and executions, a line each at `debug`, with all ids that are
 * known. Of what went wrong with an attempt or an execution there is its class alone: messages are
 * the workers' and may hold what they worked on.
 */

type OnRequest = (request: RequestReport) => void;

export function logRequests(log: Logger, next: OnRequest): OnRequest {
  if (!log.isLevelEnabled('debug')) return next;
  return (request) => {
    next(request);
    const { ids, method, route, status, seconds } = request;
    log.debug(
      { ...ids, method, route, status, ms: Math.round(seconds * 1000) },
      'request answered',
    );
  };
}

export function logAttempts(log: Logger, report: EngineReport): EngineReport {
  if (!log.isLevelEnabled('debug')) return report;
  return {
    ...report,
    attempt(of) {
      report.attempt?.(of);
      const { error } = of;
      log.debug(
        {
          execution_id: of.executionId,
          tenant_id: of.tenantId,
          workflow_id: of.workflowId,
          node_id: of.nodeId,
          work_item_id: of.workItemId,
          node_kind: of.nodeKind,
          visit: of.visit,
          attempt: of.attempt,
          ...(of.workerId !== null && { worker_id: of.workerId }),
          ...(of.tool !== null && { tool: of.tool }),
          ...(of.model !== null && { model: of.model.name }),
          ms: Math.round(of.ms),
          ...(error !== null && { error_class: error.type }),
        },
        error === null ? 'attempt completed' : 'attempt failed',
      );
    },
    ended(of) {
      report.ended?.(of);
      const ms = Date.parse(of.endedAt) - Date.parse(of.startedAt);
      log.debug(
        {
          execution_id: of.executionId,
          tenant_id: of.tenantId,
          workflow_id: of.workflowId,
          status: of.status,
          ms,
        },
        'execution ended',
      );
    },
  };
}
