import type { CpuCaller } from '../ports/cpu.ts';
import type { ImportedExecution } from '../domain/audit/imported-executions.ts';
import type { MessageIds } from '../domain/a2a/message-ids.ts';
import type { RecordedEvent } from '../domain/execution/event.ts';
import type { Explanation } from '../domain/execution/explain/blocker.ts';
import type { ExecutionState } from '../domain/execution/state.ts';
import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { ClaimFilter } from '../domain/work/claim-filter.ts';
import type { WorkItemRecord } from '../domain/work/work-item.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Usage } from '../nodes/run.ts';
import type { Warning } from '../domain/workflow/problem.ts';
import type { PlaceWait } from '../store/places.ts';
import type {
  DefinitionRow,
  ExecutionRow,
  ExposedWorkflow,
  ListDeadLetters,
  ListExecutions,
  ListUpdated,
  StoredDefinition,
  WorkerRow,
} from '../store/store.ts';
import type { ExportedExecution } from './executions/export-execution.ts';
import type { ShownDeadLetter } from './executions/list-shown.ts';
import type { ImportAnswer, ImportExecution } from './executions/import/import-execution.ts';
import type { PauseAnswer } from './executions/pause-execution.ts';
import type { ShownPause, WorkflowRef } from './workflows/pause-workflow.ts';
import type { RetriedExecution, RetryExecution } from './executions/retry-execution.ts';
import type { ListTenants, TenantChanges, TenantRow } from '../store/tenants.ts';

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

export interface Actor {
  readonly actorId: string;
}

/** `executionId` as the caller wrote it, in any accepted form. */
export interface ExecutionRef {
  readonly tenantId: TenantId;
  readonly executionId: string;
}

export interface RegisterWorkflow extends Actor {
  readonly tenantId: TenantId;
  readonly ir: JsonValue;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Whether warnings refuse it. */
  readonly isStrict?: boolean;
}

export interface RegisteredWorkflow {
  readonly workflowId: string;
  readonly version: string;
  readonly revision: number;
  readonly irHash: string;
  readonly warnings: readonly Warning[];
}

/** What is to be run, on what. */
export interface StartSubject {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  /** Null: the version registered last. */
  readonly workflowVersion: string | null;
  readonly input: JsonObject;
  /** Aborted when nobody waits for the answer any more: checks of the input are dropped. */
  readonly signal?: AbortSignal;
  /** See `CpuCaller`; absent: refused. */
  readonly whenBusy?: CpuCaller['whenBusy'];
}

export interface StartExecution extends StartSubject, Actor {
  /** 0 first, 9 last; 5 when the caller says nothing. */
  readonly priority: number;
  /** The Idempotency-Key header, if any; the same key with another request is a 409. */
  readonly idempotencyKey: string | null;
  /** The traceparent header, if there is one that can be read. */
  readonly traceparent?: string;
  /** Absent: a new one. An execution of that id that is there already is a 409. */
  readonly executionId?: ExecutionId;
}

export interface ListedExecution extends ExecutionRow {
  /** Null: it ran here. */
  readonly imported: ImportedExecution | null;
}

export interface UpdatedIds {
  readonly updated: readonly { readonly executionId: ExecutionId; readonly updatedAt: string }[];
  readonly total: number;
}

export interface ExecutionView {
  /** Of the A2A message in its input, shown whatever is hidden of the rest; null: there is none. */
  readonly messageIds: MessageIds | null;
  readonly row: ListedExecution;
  readonly state: ExecutionState;
  readonly waitingOn: readonly WaitingOn[];
  /** Not null: a child that has not begun, because its tenant has no place for it. */
  readonly placeWait: PlaceWait | null;
  /** The execution in which this one was tried again. */
  readonly retriedAs: ExecutionId | null;
}

export interface ExplainedExecution extends Explanation {
  readonly executionId: ExecutionId;
  /** The database's clock at the reading. */
  readonly asOf: string;
}

/** One thing a live execution waits for. */
export interface WaitingOn {
  readonly nodeId: string;
  readonly visit: number;
  readonly kind: string;
  readonly waitingFor: 'work' | 'approval' | 'timer' | 'event' | 'either' | 'map' | 'child';
  /** Null when the history before the last snapshot would have to be searched for it. */
  readonly since: string | null;
  readonly attempt: number;
  readonly workItemId: WorkItemId | null;
  readonly queue: string | null;
  readonly correlationKey: string | null;
  /** The first run of the child execution that is waited for. */
  readonly childId: ExecutionId | null;
}

export interface EventRange {
  /** Only events with a greater sequence; 0: all. */
  readonly after: number;
  readonly limit: number | null;
}

export interface EventPage {
  readonly executionId: ExecutionId;
  readonly events: readonly RecordedEvent[];
  /** The execution has ended and `events` reaches its last one. */
  readonly ended: boolean;
}

export interface ApprovalDecision {
  readonly decision: 'approved' | 'rejected';
  readonly nodeId: string | null;
  readonly userId: string | null;
  readonly comment: string | null;
  readonly statePatch: JsonObject | null;
  /** Of what the decision is about; another than that of the open approval is a 409. */
  readonly shownHash?: string | null;
  /** Decided only while this is the last sequence; absent: whatever it is. */
  readonly atSequence?: number;
}

export interface ApprovalAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
  /** Not decided, as the execution was no longer at `atSequence`. */
  readonly moved?: true;
  /** Null when no approval was open. */
  readonly nodeId: string | null;
}

export interface Approvals {
  readonly executionId: ExecutionId;
  readonly pending: readonly {
    readonly nodeId: string;
    readonly visit: number;
    readonly description: string | null;
    readonly requestedAt: string;
    readonly timeoutMs: number | null;
    /** Null: no call that is about to be made, but a step of the workflow. */
    readonly shown: JsonObject | null;
    readonly shownHash: string | null;
  }[];
  readonly decided: readonly {
    readonly nodeId: string;
    readonly visit: number;
    readonly decision: 'approved' | 'rejected';
    readonly userId: string | null;
    readonly comment: string | null;
    /** Of what was shown. */
    readonly shownHash: string | null;
    readonly decidedAt: string;
  }[];
}

export interface ExternalEvent {
  readonly correlationKey: string;
  readonly payload: JsonValue;
  /** Delivered only while this is the last sequence; absent: whatever it is. */
  readonly atSequence?: number;
}

export interface ExternalEventAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
  /** Not delivered, as the execution was no longer at `atSequence`. */
  readonly moved?: true;
}

export interface ClaimWork {
  readonly tenantId: TenantId;
  readonly workerId: string;
  /** Known worker queues only, at least one. */
  readonly queues: readonly ('python_tool' | 'java_tool')[];
  /** Which named queues of these types, and which tools; absent: no named queue, and all tools. */
  readonly filter?: ClaimFilter;
  readonly maxItems: number;
  /** Long poll: how long to wait for an item; 0 answers at once. */
  readonly waitMs: number;
  /** Aborted when the caller goes away or the process drains. */
  readonly signal: AbortSignal;
  /** For `GET /workers`. */
  readonly host: string;
  readonly version: string;
}

export interface ClaimedWork {
  readonly record: WorkItemRecord;
  readonly attempt: number;
  readonly leaseFence: number;
  readonly leaseExpiresAt: string;
}

/** An item as the caller names it, with what the body says about it; null: omitted. */
export interface SettleRef {
  readonly tenantId: TenantId;
  readonly workItemId: string;
  readonly leaseFence: number | null;
  readonly executionId: string | null;
  readonly nodeId: string | null;
}

export interface CompleteWorkItem extends SettleRef {
  readonly idempotencyKey: string | null;
  readonly output: JsonObject;
  readonly statePatch: JsonObject;
  readonly durationMs: number | null;
  readonly genAiModel: string | null;
  readonly finishReason: string | null;
  /** What models the worker called used; null: it doesn't say. */
  readonly usage: Usage | null;
  /** Aborted when nobody waits for the answer any more: the check of the output is dropped. */
  readonly signal?: AbortSignal;
}

export interface SettledWorkItem {
  readonly workItemId: WorkItemId;
  /** Deprecated behaviour was used: no fence, or no key. */
  readonly deprecated: boolean;
}

export interface FailWorkItem extends SettleRef {
  readonly error: string;
  /** Classifies the error for the retry policy; `error` when the worker doesn't say. */
  readonly errorClass: string;
  /** What models the worker called used; null: it doesn't say. */
  readonly usage: Usage | null;
}

export interface FailedWorkItem {
  readonly workItemId: WorkItemId;
  readonly retryable: boolean;
  /** The attempt that just failed, from 0. */
  readonly attempt: number;
  /** Set when the fence was omitted. */
  readonly warning: string | null;
}
