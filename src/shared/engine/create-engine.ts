import type { ImportAnswer, ImportExecution } from './executions/import/import-execution.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { ListTenants, TenantChanges, TenantRow } from '../store/tenants.ts';
import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { Actor, EventRange, ExecutionRef } from './caller.ts';
import { notFound } from '../domain/errors.ts';
import type { KindRegistry } from '../domain/workflow/kind-registry.ts';
import { compilePlan } from '../domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../domain/workflow/plan/plan.ts';
import type { NodeRunners } from '../nodes/run.ts';
import type {
  StoredDefinition,
  DefinitionRow,
  ExposedWorkflow,
  ListDeadLetters,
  ListExecutions,
  ListUpdated,
  WorkerRow,
} from '../store/store.ts';
import { cancelExecution } from './executions/cancel-execution.ts';
import {
  retryExecution,
  type RetriedExecution,
  type RetryExecution,
} from './executions/retry-execution.ts';
import { exportExecution, type ExportedExecution } from './executions/export-execution.ts';
import { importExecution } from './executions/import/import-execution.ts';
import { pauseExecution, resumeExecution, type PauseAnswer } from './executions/pause-execution.ts';
import {
  pauseWorkflow,
  readPauses,
  resumeWorkflow,
  type ShownPause,
  type WorkflowRef,
} from './workflows/pause-workflow.ts';
import { createAdmission } from './scheduling/admit-children.ts';
import { createClaimPace } from './scheduling/claim-pace.ts';
import { claimWork, type ClaimWork, type ClaimedWork } from './work/claim-work.ts';
import { createCommitter } from './commit/committer.ts';
import { createScheduling } from './scheduling/create-scheduling.ts';
import {
  decideApproval,
  type ApprovalAnswer,
  type ApprovalDecision,
} from './executions/decide-approval.ts';
import { createDefinitionCache } from './advance/definition-cache.ts';
import {
  deliverExternalEvent,
  type ExternalEvent,
  type ExternalEventAnswer,
} from './executions/deliver-external-event.ts';
import type { EngineDeps } from './deps.ts';
import { explainExecution, type ExplainedExecution } from './executions/explain-execution.ts';
import {
  listDeadLetters,
  listExecutions,
  listUpdated,
  type ListedExecution,
  type ShownDeadLetter,
  type UpdatedIds,
} from './executions/list-shown.ts';
import {
  listApprovals,
  readEvents,
  readExecution,
  waitForEvents,
  type Approvals,
  type EventPage,
  type ExecutionView,
} from './executions/read-execution.ts';
import { redactError } from './executions/redact-view.ts';
import {
  registerWorkflow,
  type RegisterWorkflow,
  type RegisteredWorkflow,
} from './workflows/register-workflow.ts';
import { releaseWorkItem } from './work/release-work-item.ts';
import { renewLease } from './work/renew-lease.ts';
import { requeueWorkItem } from './work/requeue-work-item.ts';
import type { Scheduling } from './scheduling/scheduling.ts';
import {
  completeWorkItem,
  failWorkItem,
  type CompleteWorkItem,
  type FailWorkItem,
  type FailedWorkItem,
  type SettledWorkItem,
} from './work/settle-work-item.ts';
import {
  checkStart,
  startExecution,
  type StartExecution,
  type StartSubject,
} from './executions/start-execution.ts';
import { createTenantDirectory } from './tenants/tenant-directory.ts';
import { systemTimers, type Timers } from './scheduling/timers.ts';
import { createTenant, readTenant, updateTenant } from './tenants/tenants.ts';
import { wasMessageReceived } from './executions/was-message-received.ts';
import { createWorkerDesk } from './work/worker-desk.ts';
import { createWorkerSightings } from './work/worker-sightings.ts';

/**
 * What the outside can ask of the runtime. Every method may throw a `SvcError` (400, 404, 409, 429, as
 * the interface document and the decisions say) or a StoreUnavailableError; bodies have been
 * decoded by the caller. `actorId` is who did it: `token:<name>`, `worker:<id>`.
 */
export interface Engine {
  registerWorkflow(params: RegisterWorkflow): Promise<RegisteredWorkflow>;
  listWorkflows(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string | null;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly DefinitionRow[]>;
  /** The newest revision; 404 when there is none. */
  readWorkflow(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<StoredDefinition>;

  /** From now on nothing of it goes on, in any version. */
  pauseWorkflow(
    params: WorkflowRef & Actor & { readonly reason: string | null },
  ): Promise<ShownPause>;
  /** Null: nothing holds it. */
  resumeWorkflow(params: WorkflowRef & Actor): Promise<ShownPause | null>;
  /** Of these workflows, those that are paused or being resumed. */
  readWorkflowPauses(params: {
    readonly tenantId: TenantId;
    readonly workflowIds: readonly string[];
  }): Promise<ReadonlyMap<string, ShownPause>>;

  /** Those that ask to be reached as agents of A2A, as they were registered last. */
  listExposedWorkflows(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
  }): Promise<readonly ExposedWorkflow[]>;

  /** Throws what a start of this would be refused with now, but for the tenant's limits. */
  checkStart(params: StartSubject): Promise<void>;
  startExecution(params: StartExecution): Promise<{ readonly executionId: ExecutionId }>;
  listExecutions(params: ListExecutions): Promise<readonly ListedExecution[]>;
  /** Where they stand is read one by one: here are their ids, and when each was updated. */
  listUpdated(params: ListUpdated): Promise<UpdatedIds>;
  readExecution(params: ExecutionRef): Promise<ExecutionView>;
  /** Why it does not move, or how it ended. */
  explainExecution(params: ExecutionRef): Promise<ExplainedExecution>;
  /** 413 where the history is too long for one answer. */
  exportExecution(params: ExecutionRef): Promise<ExportedExecution>;
  /** 400 for a document that cannot be true, 409 where something else has its id. Starts nothing. */
  importExecution(params: ImportExecution): Promise<ImportAnswer>;
  readEvents(params: ExecutionRef & EventRange): Promise<EventPage>;
  /** A message as data policies let it be seen, for what is told outside the API. */
  shownError(params: {
    readonly definitionId: DefinitionId;
    /** Null: it is the execution's own, and may tell of any node. */
    readonly nodeId: string | null;
    readonly error: string;
  }): Promise<string>;
  /** Resolves when the execution may have events after `after`, or the signal aborts. */
  waitForEvents(params: {
    readonly executionId: ExecutionId;
    readonly after: number;
    readonly signal: AbortSignal;
  }): Promise<void>;
  cancelExecution(params: ExecutionRef & Actor): Promise<{ readonly executionId: ExecutionId }>;
  pauseExecution(
    params: ExecutionRef & Actor & { readonly reason: string | null },
  ): Promise<PauseAnswer>;
  resumeExecution(params: ExecutionRef & Actor): Promise<PauseAnswer>;
  /** 409 when it was retried before, naming the retry. */
  retryExecution(params: RetryExecution): Promise<RetriedExecution>;
  decideApproval(params: ExecutionRef & Actor & ApprovalDecision): Promise<ApprovalAnswer>;
  listApprovals(params: ExecutionRef): Promise<Approvals>;
  deliverExternalEvent(params: ExecutionRef & Actor & ExternalEvent): Promise<ExternalEventAnswer>;

  /** Whether a message of this id was taken by an event after `after`, up to `through`. */
  wasMessageReceived(
    params: ExecutionRef & {
      readonly messageId: string;
      readonly after: number;
      readonly through: number;
    },
  ): Promise<boolean>;

  claimWork(params: ClaimWork): Promise<readonly ClaimedWork[]>;
  renewLease(params: {
    readonly tenantId: TenantId;
    readonly workItemId: string;
    readonly workerId: string;
    readonly leaseFence: number;
  }): Promise<{ readonly workItemId: WorkItemId; readonly expiresAt: string }>;
  completeWorkItem(params: CompleteWorkItem): Promise<SettledWorkItem>;
  failWorkItem(params: FailWorkItem): Promise<FailedWorkItem>;
  /** Gives back an item that is not the worker's to do; no attempt is used. */
  releaseWorkItem(params: {
    readonly tenantId: TenantId;
    readonly workItemId: string;
    readonly leaseFence: number;
  }): Promise<{ readonly workItemId: WorkItemId }>;
  listDeadLetters(params: ListDeadLetters): Promise<readonly ShownDeadLetter[]>;
  requeueWorkItem(
    params: Actor & { readonly tenantId: TenantId; readonly workItemId: string },
  ): Promise<{ readonly workItemId: WorkItemId }>;
  /**
   * What holds for the tenant, as of a few seconds ago at most; what this process changes, at once.
   * Null: nobody has made it, as of now.
   */
  knowTenant(tenantId: TenantId): Promise<Tenant | null>;
  createTenant(
    params: Actor & { readonly tenantId: TenantId; readonly name: string },
  ): Promise<TenantRow>;
  listTenants(params: ListTenants): Promise<readonly TenantRow[]>;
  countTenants(): Promise<number>;
  readTenant(params: { readonly tenantId: string }): Promise<TenantRow>;
  updateTenant(
    params: Actor & { readonly tenantId: string; readonly changes: TenantChanges },
  ): Promise<TenantRow>;
  listWorkers(params: { readonly tenantId: TenantId }): Promise<readonly WorkerRow[]>;
}

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
