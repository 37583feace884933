import { notFound } from '../domain/errors.ts';
import type { KindRegistry } from '../domain/workflow/kind-registry.ts';
import { compilePlan } from '../domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../domain/workflow/plan/plan.ts';
import type { NodeRunners } from '../nodes/run.ts';
import type { StoredDefinition } from '../store/store.ts';
import { cancelExecution } from './executions/cancel-execution.ts';
import { retryExecution } from './executions/retry-execution.ts';
import { exportExecution } from './executions/export-execution.ts';
import { importExecution } from './executions/import/import-execution.ts';
import { pauseExecution, resumeExecution } from './executions/pause-execution.ts';
import { pauseWorkflow, readPauses, resumeWorkflow } from './workflows/pause-workflow.ts';
import { createAdmission } from './scheduling/admit-children.ts';
import { createClaimPace } from './scheduling/claim-pace.ts';
import { claimWork } from './work/claim-work.ts';
import { createCommitter } from './commit/committer.ts';
import { createScheduling } from './scheduling/create-scheduling.ts';
import { decideApproval } from './executions/decide-approval.ts';
import { createDefinitionCache } from './advance/definition-cache.ts';
import { deliverExternalEvent } from './executions/deliver-external-event.ts';
import type { EngineDeps } from './deps.ts';
import type { Engine } from './engine.ts';
import { explainExecution } from './executions/explain-execution.ts';
import { listDeadLetters, listExecutions, listUpdated } from './executions/list-shown.ts';
import {
  listApprovals,
  readEvents,
  readExecution,
  waitForEvents,
} from './executions/read-execution.ts';
import { redactError } from './executions/redact-view.ts';
import { registerWorkflow } from './workflows/register-workflow.ts';
import { releaseWorkItem } from './work/release-work-item.ts';
import { renewLease } from './work/renew-lease.ts';
import { requeueWorkItem } from './work/requeue-work-item.ts';
import type { Scheduling } from './scheduling/scheduling.ts';
import { completeWorkItem, failWorkItem } from './work/settle-work-item.ts';
import { checkStart, startExecution } from './executions/start-execution.ts';
import { createTenantDirectory } from './tenants/tenant-directory.ts';
import { systemTimers, type Timers } from './scheduling/timers.ts';
import { createTenant, readTenant, updateTenant } from './tenants/tenants.ts';
import { wasMessageReceived } from './executions/was-message-received.ts';
import { createWorkerDesk } from './work/worker-desk.ts';
import { createWorkerSightings } from './work/worker-sightings.ts';

/** The engine of one process: what the api serves and what the scheduler's loops call. */
export function createEngine(
  given: Omit<
    EngineDeps,
    'committer' | 'definitions' | 'tenants' | 'admission' | 'timers' | 'pseudonym' | 'prices'
  > & {
    readonly timers?: Timers;
    readonly prices?: EngineDeps['prices'];
    readonly pseudonym?: EngineDeps['pseudonym'];
    readonly kinds: KindRegistry;
    readonly runners: NodeRunners;
    /** Of engines that share what they have compiled. */
    readonly compile?: (definition: StoredDefinition) => Plan;
  },
): Engine & { readonly scheduling: Scheduling } {
  const { kinds, runners, store, report, timers = systemTimers } = given;
  const deps: EngineDeps = {
    ...given,
    timers,
    pseudonym: given.pseudonym ?? null,
    prices: given.prices ?? {},
    committer: createCommitter({
      executions: store.executions,
      report,
      timers,
      ...(store.dialect === 'sqlite' && { lanes: 1 }),
    }),
    definitions: createDefinitionCache({
      definitions: store.definitions,
      compile: given.compile ?? ((definition) => compilePlan(definition.ir, kinds)),
    }),
    admission: createAdmission({ places: store.places, wake: given.wake }),
    tenants: createTenantDirectory({ tenants: store.tenants, now: () => timers.now() }),
  };
  const pace = createClaimPace(() => timers.now());
  const sightings = createWorkerSightings({
    workers: store.workers,
    report,
    now: () => timers.now(),
  });
  const desk = createWorkerDesk({ work: store.work, leaseMs: given.settings.leaseMs, timers });
  const { startsHere, scheduling } = createScheduling(deps, runners);
  return {
    registerWorkflow: (params) => registerWorkflow(deps, kinds, params),
    listWorkflows: (params) => store.definitions.list(params),
    readWorkflow: async (params) => {
      const found = await store.definitions.findLatest(params);
      if (found === null) throw notFound(`workflow ${params.workflowId}`);
      return found;
    },
    pauseWorkflow: (params) => pauseWorkflow(deps, params),
    resumeWorkflow: (params) => resumeWorkflow(deps, params),
    readWorkflowPauses: (params) => readPauses(deps, params),
    listExposedWorkflows: (params) => store.definitions.listExposed(params),
    checkStart: (params) => checkStart(deps, params),
    startExecution: (params) => startExecution(deps, startsHere, params),
    listExecutions: (params) => listExecutions(deps, params),
    listUpdated: (params) => listUpdated(deps, params),
    readExecution: (params) => readExecution(deps, params),
    explainExecution: (params) => explainExecution(deps, params),
    exportExecution: (params) => exportExecution(deps, params),
    importExecution: (params) => importExecution(deps, kinds, params),
    readEvents: (params) => readEvents(deps, params),
    shownError: async ({ definitionId, nodeId, error }) => {
      const { plan } = await deps.definitions.get(definitionId);
      return redactError(error, { plan, nodeId, pseudonym: deps.pseudonym });
    },
    waitForEvents: (params) => waitForEvents(deps, params),
    cancelExecution: (params) => cancelExecution(deps, params),
    pauseExecution: (params) => pauseExecution(deps, params),
    retryExecution: (params) => retryExecution(deps, startsHere, params),
    resumeExecution: (params) => resumeExecution(deps, params),
    decideApproval: (params) => decideApproval(deps, params),
    listApprovals: (params) => listApprovals(deps, params),
    deliverExternalEvent: (params) => deliverExternalEvent(deps, params),
    wasMessageReceived: (params) => wasMessageReceived(deps, params),
    claimWork: (params) => claimWork(deps, { sightings, pace, desk }, params),
    renewLease: (params) => renewLease(deps, desk, params),
    completeWorkItem: (params) => completeWorkItem(deps, desk, params),
    failWorkItem: (params) => failWorkItem(deps, desk, params),
    releaseWorkItem: (params) => releaseWorkItem(deps, desk, params),
    listDeadLetters: (params) => listDeadLetters(deps, params),
    requeueWorkItem: (params) => requeueWorkItem(deps, params),
    knowTenant: (tenantId) => deps.tenants.find(tenantId),
    createTenant: (params) => createTenant(deps, params),
    listTenants: (params) => store.tenants.list(params),
    countTenants: () => store.tenants.count(),
    readTenant: (params) => readTenant(deps, params),
    updateTenant: (params) => updateTenant(deps, params),
    listWorkers: ({ tenantId }) => store.workers.list(tenantId),
    scheduling,
  };
}
