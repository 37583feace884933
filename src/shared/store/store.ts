import type { AgentStore } from './agents.ts';
import type { ApprovalStore } from './readings/approvals.ts';
import type { ArtifactStore } from './artifacts.ts';
import type { AuditStore } from './audit.ts';
import type { CheckpointStore } from './readings/checkpoints.ts';
import type { DefinitionStore } from './definitions.ts';
import type { DiagnosisStore } from './readings/diagnosis.ts';
import type { ExecutionSearch, ExecutionStore } from './executions.ts';
import type { FlowStore } from './flow.ts';
import type { ImportStore } from './imports.ts';
import type { MemoryStore } from './memory.ts';
import type { PlaceStore } from './places.ts';
import type { QuotaStore } from './quotas.ts';
import type { RetentionStore } from './retention.ts';
import type { ScheduleStore } from './schedules.ts';
import type { RemoteWake, RunnableStore, ShardLocks, TimerStore } from './scheduling.ts';
import type { TenantStore } from './tenants.ts';
import type { TokenStore } from './tokens.ts';
import type { UnusedArtifactStore } from './unused-artifacts.ts';
import type { WebhookStore } from './webhooks.ts';
import type { WorkStore } from './work.ts';
import type { WorkOverviewStore } from './readings/work-overview.ts';
import type { WorkerStore } from './workers.ts';
import type { WorkflowPauseStore } from './workflow-pauses.ts';

/**
 * Everything that the product stores, by area. Both adapters implement it, with the same behaviour
 * (one contract suite). Times go in as durations and come out as ISO 8601 UTC strings with
 * milliseconds: the database's clock is the only clock. Every method may throw
 * `StoreUnavailableError`; nothing else is thrown for an expected outcome. Methods that take a
 * tenant treat another tenant's rows exactly like missing rows. For an inactive tenant, nothing is
 * claimed, due, expired or runnable; fires of its schedules are dropped.
 */
export interface Store {
  readonly dialect: 'postgres' | 'sqlite';
  readonly executions: ExecutionStore;
  readonly executionSearch: ExecutionSearch;
  readonly work: WorkStore;
  readonly timers: TimerStore;
  readonly runnable: RunnableStore;
  readonly places: PlaceStore;
  readonly flow: FlowStore;
  readonly quotas: QuotaStore;
  readonly approvals: ApprovalStore;
  readonly checkpoints: CheckpointStore;
  readonly workOverview: WorkOverviewStore;
  readonly definitions: DefinitionStore;
  readonly workflowPauses: WorkflowPauseStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly webhooks: WebhookStore;
  readonly schedules: ScheduleStore;
  readonly artifacts: ArtifactStore;
  readonly unusedArtifacts: UnusedArtifactStore;
  readonly agents: AgentStore;
  readonly tenants: TenantStore;
  readonly workers: WorkerStore;
  readonly memory: MemoryStore;
  readonly retention: RetentionStore;
  readonly imports: ImportStore;
  readonly diagnosis: DiagnosisStore;
  readonly shards: ShardLocks;
  readonly wake: RemoteWake;
  /** Answers within `timeoutMs` or throws StoreUnavailableError. */
  ping(params: { readonly timeoutMs: number }): Promise<void>;
  /** Deletes what has outlived its use (worker announcements, request keys); returns rows deleted. */
  prune(): Promise<number>;
  /** Use of the pools of the engine and of readers, for metrics; all 0 on SQLite. */
  poolUse(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /**
   * For work that opens connections of its own, up to two: the process keeps within its bound. One at
   * a time; on SQLite, this only runs the work.
   */
  aside<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export type {
  ExecutionStore,
  ExecutionRow,
  ListedRow,
  UsageRow,
  LoadedExecution,
  ListExecutions,
  ListUpdated,
  UpdatedPage,
  ExecutionSearch,
  ExecutionPlace,
  SearchExecutions,
  SearchPage,
  CountExecutions,
  ExecutionCounts,
  CountedGroup,
} from './executions.ts';
export type {
  WorkStore,
  ClaimRef,
  ClaimRequest,
  JointClaim,
  ClaimScope,
  Claimer,
  Lease,
  ClaimedItem,
  LeaseRenewal,
  RenewedLease,
  FoundWorkItem,
  ListDeadLetters,
  DeadLetter,
} from './work.ts';
export type {
  TimerStore,
  DueTimer,
  RunnableStore,
  ShardLocks,
  RemoteWake,
  WaitingWork,
} from './scheduling.ts';
export { SHARD_COUNT } from './scheduling.ts';
export type {
  DefinitionStore,
  LatestId,
  ExposedWorkflow,
  DefinitionRow,
  StoredDefinition,
} from './definitions.ts';
export type { TokenStore, ListTokens, NewToken, TokenRow } from './tokens.ts';
export type { WorkerStore, WorkerAnnouncement, WorkerRow } from './workers.ts';
export { StoreUnavailableError, isAmbiguous, type Shortage } from './unavailable.ts';
