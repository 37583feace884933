import { bulkExecutions, previewBulk } from '../../src/shared/engine/executions/bulk-executions.ts';
import { cancelExecution } from '../../src/shared/engine/executions/cancel-execution.ts';
import { decideApproval } from '../../src/shared/engine/executions/decide-approval.ts';
import { deliverExternalEvent } from '../../src/shared/engine/executions/deliver-external-event.ts';
import { explainExecution } from '../../src/shared/engine/executions/explain-execution.ts';
import { exportExecution } from '../../src/shared/engine/executions/export-execution.ts';
import {
  forkExecution,
  previewFork,
} from '../../src/shared/engine/executions/fork/fork-execution.ts';
import { listForks } from '../../src/shared/engine/executions/fork/list-forks.ts';
import { importExecution } from '../../src/shared/engine/executions/import/import-execution.ts';
import {
  listDeadLetters,
  listExecutions,
  listUpdated,
} from '../../src/shared/engine/executions/list-shown.ts';
import { moveExecution } from '../../src/shared/engine/executions/move-execution.ts';
import {
  pauseExecution,
  resumeExecution,
} from '../../src/shared/engine/executions/pause-execution.ts';
import { listOpenApprovals } from '../../src/shared/engine/approvals/list-all-approvals.ts';
import { listApprovals } from '../../src/shared/engine/executions/list-approvals.ts';
import {
  readEvents,
  readExecution,
  waitForEvents,
} from '../../src/shared/engine/executions/read-execution.ts';
import { blameState } from '../../src/shared/engine/executions/history/blame-state.ts';
import { readState } from '../../src/shared/engine/executions/history/read-state.ts';
import {
  awaitResult,
  startAndAwait,
} from '../../src/shared/engine/executions/results/await-result.ts';
import { retryExecution } from '../../src/shared/engine/executions/retry-execution.ts';
import { checkStart, startExecution } from '../../src/shared/engine/executions/start-execution.ts';
import { startMany } from '../../src/shared/engine/executions/start-many.ts';
import { wasMessageReceived } from '../../src/shared/engine/executions/was-message-received.ts';
import { backfillSchedule } from '../../src/shared/engine/schedules/backfill-schedule.ts';
import { deleteSchedule } from '../../src/shared/engine/schedules/delete-schedule.ts';
import { putSchedule } from '../../src/shared/engine/schedules/put-schedule.ts';
import { listSchedules, readSchedule } from '../../src/shared/engine/schedules/read-schedule.ts';
import { updateSchedule } from '../../src/shared/engine/schedules/update-schedule.ts';
import { createTenant, readTenant, updateTenant } from '../../src/shared/engine/tenants/tenants.ts';
import type { UseCaseDeps } from '../../src/shared/engine/use-case-deps.ts';
import { claimWork } from '../../src/shared/engine/work/claim-work.ts';
import { completeWorkItem } from '../../src/shared/engine/work/complete-work-item.ts';
import { failWorkItem } from '../../src/shared/engine/work/fail-work-item.ts';
import { continueFunction } from '../../src/shared/engine/work/functions/continue-function.ts';
import { recordSteps } from '../../src/shared/engine/work/functions/record-steps.ts';
import { suspendFunction } from '../../src/shared/engine/work/functions/suspend-function.ts';
import { listWorkers } from '../../src/shared/engine/work/list-workers.ts';
import { releaseWorkItem } from '../../src/shared/engine/work/release-work-item.ts';
import { renewLease } from '../../src/shared/engine/work/renew-lease.ts';
import { requeueWorkItem } from '../../src/shared/engine/work/requeue-work-item.ts';
import {
  pauseWorkflow,
  readWorkflowPauses,
  resumeWorkflow,
} from '../../src/shared/engine/workflows/pause-workflow.ts';
import { listWorkflows, readWorkflow } from '../../src/shared/engine/workflows/read-workflow.ts';
import { registerWorkflow } from '../../src/shared/engine/workflows/register-workflow.ts';

const USE_CASES = {
  awaitResult,
  startAndAwait,
  bulkExecutions,
  previewBulk,
  cancelExecution,
  decideApproval,
  deliverExternalEvent,
  explainExecution,
  exportExecution,
  forkExecution,
  importExecution,
  listForks,
  previewFork,
  listDeadLetters,
  listExecutions,
  listUpdated,
  moveExecution,
  pauseExecution,
  resumeExecution,
  listApprovals,
  listOpenApprovals,
  readEvents,
  readExecution,
  readState,
  blameState,
  waitForEvents,
  retryExecution,
  checkStart,
  startExecution,
  startMany,
  wasMessageReceived,
  backfillSchedule,
  deleteSchedule,
  putSchedule,
  listSchedules,
  readSchedule,
  updateSchedule,
  createTenant,
  readTenant,
  updateTenant,
  claimWork,
  completeWorkItem,
  failWorkItem,
  recordSteps,
  suspendFunction,
  continueFunction,
  listWorkers,
  releaseWorkItem,
  renewLease,
  requeueWorkItem,
  pauseWorkflow,
  readWorkflowPauses,
  resumeWorkflow,
  listWorkflows,
  readWorkflow,
  registerWorkflow,
};

type UseCases = typeof USE_CASES;

/** The use cases of one engine, each taking the caller and the parameters as one object. */
export type EngineCalls = {
  readonly [Name in keyof UseCases]: UseCases[Name] extends (
    deps: never,
    caller: infer Caller,
    params: infer Params,
  ) => infer Answer
    ? (given: Caller & Params) => Answer
    : never;
};

export function callsOf(deps: UseCaseDeps): EngineCalls {
  const useCases: Readonly<
    Record<string, (deps: UseCaseDeps, caller: never, params: never) => unknown>
  > = USE_CASES;
  const calls = Object.entries(useCases).map(([name, useCase]) => [
    name,
    (given: never) => useCase(deps, given, given),
  ]);
  return Object.fromEntries(calls) as EngineCalls;
}
