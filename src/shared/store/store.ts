import type { Role } from '../domain/access.ts';
import type { RecordedEvent, TimerPurpose } from '../domain/execution/event.ts';
import type { ExecutionDocument } from '../domain/execution/execution-document.ts';
import type { ExecutionStatus } from '../domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { ClaimFilter } from '../domain/work/claim-filter.ts';
import type {
  QueuePlace,
  WorkItemRecord,
  WorkQueue,
  WorkTicket,
} from '../domain/work/work-item.ts';
import type { StandingPause } from '../domain/workflow/workflow-pause.ts';
import type { AgentStore } from './agents.ts';
import type { ArtifactStore } from './artifacts.ts';
import type { AuditStore } from './audit.ts';
import type { CommitPlan, CommitVerdict, ModelUse } from './commit.ts';
import type { DiagnosisStore } from './diagnosis.ts';
import type { ImportStore } from './imports.ts';
import type { MemoryStore } from './memory.ts';
import type { PlaceStore } from './places.ts';
import type { RetentionStore } from './retention.ts';
import type { WebhookStore } from './webhooks.ts';
import type { ScheduleStore } from './schedules.ts';
import type { TenantStore } from './tenants.ts';
import type { UnusedArtifactStore } from './unused-artifacts.ts';
import type { WorkflowPauseStore } from './workflow-pauses.ts';

/**
 * Everything the product keeps, by area. Both adapters implement it, with the same behaviour (one
 * contract suite). Times go in as durations and come out as ISO 8601 UTC strings with milliseconds:
 * the database's clock is the only clock. Every method may throw `StoreUnavailableError`; nothing
 * else is thrown for an expected outcome. Methods that take a tenant answer another tenant's rows
 * exactly like rows that are not there. Of a tenant that is not active, nothing is claimed, due,
 * expired or runnable; fires of its schedules are given up.
 */
export interface Store {
  readonly dialect: 'postgres' | 'sqlite';
  readonly executions: ExecutionStore;
  readonly work: WorkStore;
  readonly timers: TimerStore;
  readonly runnable: RunnableStore;
  readonly places: PlaceStore;
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
  /** Connection pool use for metrics; all 0 on SQLite. */
  poolUse(): { readonly total: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface ExecutionStore {
  /** One transaction. Verdicts in the order of the plans. See `CommitPlan`. */
  commit(plans: readonly CommitPlan[]): Promise<readonly CommitVerdict[]>;
  find(id: ExecutionId, tenantId: TenantId | null): Promise<ExecutionRow | null>;
  /** Snapshot and the events after it, as one consistent reading; null when unknown. */
  load(id: ExecutionId, tenantId: TenantId | null): Promise<LoadedExecution | null>;
  /** All there is of it, as one consistent reading; null when unknown. */
  document(id: ExecutionId, tenantId: TenantId | null): Promise<ExecutionDocument | null>;
  /** Events with `after < sequence`, in order, at most `limit` of them (null: all). */
  events(params: {
    readonly executionId: ExecutionId;
    readonly after: number;
    readonly limit: number | null;
  }): Promise<readonly RecordedEvent[]>;
  /** What models used, of the execution first, then of what it is a child of, and so on up. */
  usage(id: ExecutionId): Promise<readonly UsageRow[]>;
  /** Newest first by creation. */
  list(params: ListExecutions): Promise<readonly ExecutionRow[]>;
  /** Of one workflow, those that were updated last come first; an end counts as an update. */
  listUpdated(params: ListUpdated): Promise<UpdatedPage>;
}

export interface ExecutionRow {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly parentExecutionId: ExecutionId | null;
  readonly status: ExecutionStatus;
  readonly lastSequence: number;
  readonly shard: number;
  readonly priority: number;
  readonly error: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
}

/** Use by an execution's own calls and those of its descendants. */
export interface UsageRow extends ModelUse {
  readonly executionId: ExecutionId;
  readonly definitionId: DefinitionId;
}

export interface LoadedExecution {
  readonly row: ExecutionRow;
  readonly snapshot: { readonly sequence: number; readonly body: string } | null;
  readonly events: readonly RecordedEvent[];
  /** Its workflow's, as of the reading; null: none stands. */
  readonly workflowPause: StandingPause | null;
}

export interface ListExecutions {
  readonly tenantId: TenantId;
  readonly status: ExecutionStatus | null;
  readonly workflowId: string | null;
  /** Absent: all. */
  readonly parentExecutionId?: ExecutionId | null;
  /** ISO instants; inclusive and exclusive. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
  /** Only executions older than this one (keyset paging). */
  readonly cursor: { readonly createdAt: string; readonly executionId: ExecutionId } | null;
  readonly limit: number;
  readonly offset: number;
}

export interface ListUpdated {
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: ExecutionStatus | null;
  /** The context of the A2A message that began it, or its own id where that names none. */
  readonly contextId: string | null;
  /** ISO instant, inclusive. */
  readonly updatedAfter: string | null;
  /** Only those updated before this one (keyset paging). */
  readonly cursor: { readonly updatedAt: string; readonly executionId: ExecutionId } | null;
  readonly limit: number;
  /** Only so many, the newest by creation, are looked through. */
  readonly within: number;
}

export interface UpdatedPage {
  readonly rows: readonly ExecutionRow[];
  /** How many there are on all pages. */
  readonly total: number;
}

export interface WorkStore {
  /**
   * Leases the items that are next (priority, then age) on the given queues, of those that the
   * filter admits, each under a fence never used before. Items past their schedule-to-start bound are left alone. `tenantId` null:
   * of all tenants (the `engine` queue).
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedItem[]>;
  /** As if the claimers had claimed one after another, all at once; what each got, in their order. */
  claimTogether(request: JointClaim): Promise<readonly (readonly ClaimedItem[])[]>;
  /** Renews the leases still held under their fences; answers which were, in the order asked. */
  renew(leases: readonly LeaseRenewal[]): Promise<readonly (RenewedLease | null)[]>;
  find(id: WorkItemId, tenantId: TenantId): Promise<FoundWorkItem | null>;
  /**
   * Leases of items on the engine's queue that a process holds, of one execution or of all
   * (`executionId` null), those included whose time is over and that nobody has taken back.
   */
  listHeld(params: {
    readonly workerId: string;
    readonly executionId: ExecutionId | null;
  }): Promise<readonly Lease[]>;
  /** Leases whose time is over by the database's clock, oldest first. */
  listExpiredLeases(params: { readonly limit: number }): Promise<readonly Lease[]>;
  /** Queued items past their schedule-to-start bound, oldest first. */
  listOverdueQueued(params: { readonly limit: number }): Promise<readonly WorkTicket[]>;
  /**
   * Ends a leased item without any event (rules 1, 2 and 7 of the worker protocol). `record`: keep
   * this result under the item's key; `deadLetter`: why it failed. False when it was not leased.
   */
  settleUnfenced(params: {
    readonly workItemId: WorkItemId;
    readonly tenantId: TenantId;
    readonly record: { readonly output: JsonValue; readonly statePatch: JsonObject } | null;
    readonly deadLetter: string | null;
  }): Promise<boolean>;
  /** The result recorded under a key, if any. */
  recordedOutput(params: {
    readonly executionId: ExecutionId;
    readonly idempotencyKey: string;
  }): Promise<{ readonly output: JsonValue; readonly statePatch: JsonObject } | null>;
  /** Newest first. */
  listDeadLetters(params: ListDeadLetters): Promise<readonly DeadLetter[]>;
  /**
   * Puts a dead-lettered item of a live execution back on its queue, attempts counted anew, unless
   * the execution has moved past what the caller decided this on.
   */
  requeue(params: {
    readonly workItemId: WorkItemId;
    readonly tenantId: TenantId;
    readonly expectedSequence: number;
    readonly actorId: string;
  }): Promise<'requeued' | 'missing' | 'not_dead' | 'ended' | 'moved'>;
}

export type ClaimRequest = ClaimScope & Claimer;

export interface JointClaim extends ClaimScope {
  readonly claimers: readonly Claimer[];
}

export interface ClaimScope extends ClaimFilter {
  readonly tenantId: TenantId | null;
  readonly queues: readonly WorkQueue[];
  readonly leaseMs: number;
  /** Engine queue only: items of these shards; null: all. */
  readonly shards: readonly number[] | null;
}

export interface Claimer {
  readonly workerId: string;
  readonly limit: number;
}

export interface Lease {
  readonly ticket: WorkTicket;
  readonly leaseFence: number;
  readonly workerId: string;
  readonly claimedAt: string;
  readonly expiresAt: string;
  /** Where on its queue the item was claimed; absent: not known, or off no queue. */
  readonly queuePlace?: QueuePlace;
  /** End of the attempt's time whatever the heartbeats; null: none. */
  readonly deadlineAt: string | null;
  /** True when `deadlineAt` is what has passed. */
  readonly timedOut: boolean;
}

export interface ClaimedItem extends Lease {
  /** Null on the `engine` queue. */
  readonly record: WorkItemRecord | null;
  /** The revision that its execution runs on; null on the `engine` queue. */
  readonly definitionId: DefinitionId | null;
  /** A result is recorded under the item's key already: replay it, don't hand the item out. */
  readonly hasRecordedOutput: boolean;
}

export interface LeaseRenewal {
  readonly workItemId: WorkItemId;
  /** Null: of any tenant (the engine's own). */
  readonly tenantId: TenantId | null;
  readonly leaseFence: number;
  readonly leaseMs: number;
}

export interface RenewedLease {
  readonly expiresAt: string;
}

export interface FoundWorkItem {
  readonly record: WorkItemRecord;
  /** The revision that its execution runs on. */
  readonly definitionId: DefinitionId;
  /** Null: not leased now. */
  readonly lease: Lease | null;
  readonly place: 'queued' | 'leased' | 'retrying' | 'settled' | 'dead_lettered';
  /** Of an item that rests after a release: the fence it was released under. */
  readonly releasedFence: number | null;
}

export interface ListDeadLetters {
  readonly tenantId: TenantId;
  readonly limit: number;
  /** Dead-lettered before this ISO instant. */
  readonly before: string | null;
  /** Absent: of any workflow, or node. */
  readonly workflowId?: string | null;
  readonly nodeId?: string | null;
  /** Only those after this one in the list. */
  readonly cursor?: { readonly deadLetteredAt: string; readonly workItemId: WorkItemId } | null;
}

export interface DeadLetter {
  readonly workItemId: WorkItemId;
  readonly executionId: ExecutionId;
  readonly nodeId: string;
  readonly queue: WorkQueue;
  readonly tool: string;
  readonly attempt: number;
  readonly error: string;
  readonly deadLetteredAt: string;
}

export interface TimerStore {
  /** Due timers, oldest first. */
  listDue(params: { readonly limit: number }): Promise<readonly DueTimer[]>;
  /** Moves retries that are due to their queues; answers the queues that got something. */
  promoteRetries(params: { readonly limit: number }): Promise<readonly WorkTicket[]>;
  /** Milliseconds until the next timer or retry is due; null: there is none. */
  nextDueInMs(): Promise<number | null>;
  /** Removes those of them whose execution has ended or is gone: no commit could fire them. */
  discard(
    timers: readonly { readonly executionId: ExecutionId; readonly name: string }[],
  ): Promise<void>;
}

export interface DueTimer {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly purpose: TimerPurpose;
  readonly nodeId: string | null;
  readonly visit: number | null;
}

export interface RunnableStore {
  /** Executions of these shards with something to decide, oldest mark first. Claims nothing. */
  list(params: {
    readonly shards: readonly number[];
    readonly limit: number;
  }): Promise<readonly { readonly executionId: ExecutionId; readonly shard: number }[]>;
}

export interface DefinitionStore {
  /**
   * Same id, version and hash as the newest revision: that revision. Else a new revision. Null when
   * the id is new and the tenant has `workflowsMax` others, counted exactly.
   */
  register(params: {
    readonly definitionId: DefinitionId;
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string;
    readonly irHash: string;
    readonly ir: JsonObject;
    readonly actorId: string;
    /** Absent: no limit. */
    readonly workflowsMax?: number | null;
  }): Promise<DefinitionRow | null>;
  /** Also one that came with an imported execution, which nothing else here ever answers. */
  find(id: DefinitionId): Promise<StoredDefinition | null>;
  /** Newest revision of that version, or of the version registered last when `version` is null. */
  findLatest(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<StoredDefinition | null>;
  /**
   * The same by its id alone, for the hot path: what the id stands for never changes. Whether the
   * workflow is paused comes with it.
   */
  latestId(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<LatestId | null>;
  /** The newest revision of each workflow and version, newest first. */
  list(params: {
    readonly tenantId: TenantId;
    readonly workflowId: string | null;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly DefinitionRow[]>;
  /** The workflows whose definition registered last has `expose.a2a`, by their ids. */
  listExposed(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
  }): Promise<readonly ExposedWorkflow[]>;
}

export interface LatestId {
  readonly definitionId: DefinitionId;
  /** Null: none stands. */
  readonly workflowPause: StandingPause | null;
}

/** What a workflow says of itself to other agents. */
export interface ExposedWorkflow {
  readonly workflowId: string;
  readonly version: string;
  readonly name: string | null;
  readonly description: string | null;
}

export interface DefinitionRow {
  readonly definitionId: DefinitionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly version: string;
  /** From 1, per workflow and version. */
  readonly revision: number;
  readonly irHash: string;
  readonly createdAt: string;
}

export interface StoredDefinition extends DefinitionRow {
  readonly ir: JsonObject;
}

export interface ListTokens {
  readonly tenantId: TenantId;
  /** Only those that come after this one. */
  readonly after?: { readonly createdAt: string; readonly tokenId: string } | null;
  readonly limit: number;
  readonly offset: number;
}

export interface TokenStore {
  create(token: NewToken): Promise<TokenRow>;
  /** Also when expired or revoked: the caller judges by `expired` and `revokedAt`. */
  findByHash(hash: string): Promise<TokenRow | null>;
  /** Newest first. */
  list(params: ListTokens): Promise<readonly TokenRow[]>;
  count(params: { readonly tenantId: TenantId }): Promise<number>;
  /** Null when there is no such token; revoking twice changes nothing. */
  revoke(id: string, tenantId: TenantId, actorId: string): Promise<TokenRow | null>;
  /**
   * Makes `next` with name, role and lifetime of a token, and ends that one after `graceMs`, or
   * earlier where it expires earlier. `over`: it is revoked, expired or rotated already.
   */
  rotate(params: {
    readonly tokenId: string;
    readonly tenantId: TenantId;
    readonly next: { readonly tokenId: string; readonly hash: string };
    readonly graceMs: number;
    readonly actorId: string;
  }): Promise<{ readonly next: TokenRow; readonly old: TokenRow } | 'missing' | 'over'>;
  /** Notes that these tokens are in use; of each it is written once a minute. */
  noteUsed(tokenIds: readonly string[]): Promise<void>;
}

export interface NewToken {
  readonly tokenId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  /** Lowercase hex SHA-256 of the plaintext. */
  readonly hash: string;
  /** Null: never expires. */
  readonly expiresInMs: number | null;
  /** Who makes it. */
  readonly actorId: string;
}

export type { Role };

export interface TokenRow {
  readonly tokenId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** To the minute; null: never used. */
  readonly lastUsedAt: string | null;
  /** The token that took its place. */
  readonly replacedBy: string | null;
  /** By the database's clock, at the reading. */
  readonly expired: boolean;
}

export interface WorkerStore {
  /** One statement for all; `tenantId` null for runtime processes. */
  announce(workers: readonly WorkerAnnouncement[]): Promise<void>;
  /** Seen in the last 60 s: the tenant's tool workers and the runtime's processes. */
  list(tenantId: TenantId): Promise<readonly WorkerRow[]>;
  withdraw(workerId: string): Promise<void>;
}

export interface WorkerAnnouncement {
  readonly workerId: string;
  readonly tenantId: TenantId | null;
  readonly kind: 'runtime' | 'tool';
  /** `api`, `scheduler` or `all` for runtime processes, null for tool workers. */
  readonly role: string | null;
  readonly queueTypes: readonly string[];
  /** What a tool worker claims of these. */
  readonly filter?: ClaimFilter;
  readonly version: string;
  readonly host: string;
}

export interface WorkerRow {
  readonly workerId: string;
  readonly kind: 'runtime' | 'tool';
  readonly role: string | null;
  readonly queueTypes: readonly string[];
  readonly filter: ClaimFilter;
  readonly version: string;
  readonly host: string;
  readonly startedAt: string;
  readonly lastHeartbeat: string;
  /** Leases held now. */
  readonly activeItems: number;
}

/**
 * Who works which shard. Locks only spare work, they never guard correctness. They live on a
 * connection of their own; when it breaks, all are gone and `held` is empty.
 */
export interface ShardLocks {
  /**
   * Live schedulers, this one included from now on: those whose sessions last. One that died is
   * not counted any more.
   */
  countSchedulers(): Promise<number>;
  /** Takes free shards or gives some back until `target` are held; answers the shards held now. */
  balance(params: { readonly target: number }): Promise<readonly number[]>;
  /** Tries to take, or keeps, the lock of a duty that one process does for all. */
  tryDuty(duty: 'timers' | 'prune'): Promise<boolean>;
  releaseAll(): Promise<void>;
}

/** Hints between processes that something is ready. May be lost; polling is the truth. */
export interface RemoteWake {
  /** Sends topics, deduplicated, at most once every few milliseconds. Never throws. */
  send(topics: readonly string[]): void;
  /** Starts listening; `onTopics` gets topics of other processes. */
  listen(onTopics: (topics: readonly string[]) => void): Promise<void>;
}

export const SHARD_COUNT = 64;

/** The database cannot be reached, is read-only, or a commit's outcome is not known. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** True: the statement may have been carried out. */
  readonly ambiguous: boolean;

  constructor(message: string, options: { readonly ambiguous: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.ambiguous = options.ambiguous;
  }
}

/** What was asked for may have been done. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.ambiguous;
}
