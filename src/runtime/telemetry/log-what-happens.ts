import type { RequestReport } from '../../api/deps.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import type { EndReport, EngineReport } from '../../shared/engine/report.ts';
import type { Logger } from '../../shared/telemetry/log.ts';

/*
 * Logs requests, attempts and executions at `debug`, one line each, with all known ids. For a
 * failed attempt or execution it logs only the error class: messages come from workers and may
 * contain their data.
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

/**
 * The line for the end of an execution is the one place where a state is logged: as data policies let
 * people see it, and left out while `logging.redact_state` is on.
 */
export function logAttempts(params: {
  readonly log: Logger;
  readonly report: EngineReport;
  /** Null: states are left out. */
  readonly stateOf: ((of: EndReport) => Promise<JsonObject>) | null;
}): EngineReport {
  const { log, report, stateOf } = params;
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
      const ids = {
        execution_id: of.executionId,
        tenant_id: of.tenantId,
        workflow_id: of.workflowId,
      };
      const fields = { ...ids, status: of.status, ms };
      if (stateOf === null) return log.debug({ ...fields, state: {} }, 'execution ended');
      stateOf(of).then(
        (state) => log.debug({ ...fields, state }, 'execution ended'),
        (error: unknown) => {
          log.debug(fields, 'execution ended');
          report.trouble('the state of an ended execution could not be read', error, ids);
        },
      );
    },
  };
}
