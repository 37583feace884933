import type { EventKind } from '../domain/execution/event.ts';
import type { TimerPurpose } from '../domain/execution/event-payloads.ts';
import type { Labels } from '../domain/execution/labels/labels.ts';
import type { ExecutionStatus } from '../domain/execution/status.ts';
import type { DefinitionId, ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { TimerSpec } from '../domain/workflow/plan/plan.ts';
import type { Bucket } from '../domain/work/quota.ts';
import type { QueuePlace, WorkItemRecord, WorkTicket } from '../domain/work/work-item.ts';

/**
 * The one way an execution changes. A plan states what it was decided on: the sequence the
 * execution must still have, the fences that must still be current, the timers that must still be
 * there. All of that holds and everything in the plan is written, or nothing is (`refused`).
 *
 * A batch carries at most one plan per execution. Plans are judged one by one: a refused plan never
 * stops its neighbours, unless they are written together. Lock order inside a store: executions by id, then their items and timers.
 */
export interface CommitPlan {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  /** Present on the first commit of an execution only: makes the execution. */
  readonly create: NewExecution | null;
  /** Null appends at the tail, wherever that is; only for facts that need no reading first. */
  readonly expectedSequence: number | null;
  /** Leases this plan ends. Each must still be held under its fence. */
  readonly settles: readonly Settle[];
  /** Leases under which this plan writes, and which it keeps. Each must be held under its fence. */
  readonly keepsLeases: readonly LeaseRef[];
  /** Queued items this plan takes off the queue because they waited too long. Each must be there. */
  readonly expiresQueued: readonly WorkItemId[];
  /** Timers this plan fires, by name. Each must still be there, and due. */
  readonly firesTimers: readonly string[];
  /** Appended in order, after the present last sequence. */
  readonly events: readonly NewEvent[];
  /** Null: unchanged. */
  readonly status: ExecutionStatus | null;
  /** Why the execution failed; written with status `failed`. */
  readonly error: string | null;
  /** The cause of that failure, for lists; null: it does not fail. */
  readonly failure: KeptFailure | null;
  /** Executions that this plan starts: none of them exists if the plan is refused. */
  readonly startsExecutions: readonly StartedExecution[];
  /** How the plan uses its tree of executions; null: in no way that the tree must allow. */
  readonly tree: TreeUse | null;
  /** An execution that waits for a place ends, so it stops waiting. */
  readonly leavesQueue: boolean;
  /** For hints: it ends in this line. Absent: all that wait for its places may begin after it. */
  readonly endsInLine?: AwaitedLine;
  /** Its batch is closed: it waits no longer for its key, and next for a place of its tenant, if for anything. */
  readonly leavesLine?: true;
  /** It begins, and stays marked: the token that it began with takes no room in its bucket any more. */
  readonly usesToken?: true;
  /**
   * Its time has come, or its batch is closed, and it waits for a place of its key from now on, as the last.
   * Absent: it needs none.
   */
  readonly entersQueue?: AwaitedPlace & { readonly shard: number };
  /** It waits for a place of its tenant. Absent: it has one, or needs none. */
  readonly tenantLine?: TenantLine;
  /** All plans that are committed with it say so, and all of them are accepted, or none. Absent: judged alone. */
  readonly isTogether?: true;
  readonly newItems: readonly NewWorkItem[];
  /** Items that begin leased: those run in this process, and those that answer a waiting claim. */
  readonly bornLeased: readonly BornLease[];
  readonly retries: readonly Retry[];
  readonly revokesItems: readonly WorkItemId[];
  /**
   * `hold`: what waits on a queue or for a retry is put where nobody takes it · `release`: it is put
   * back, retries with the time they still had, as far as it is not over · null: nothing is moved.
   */
  readonly waitingItems: 'hold' | 'release' | null;
  /** Whether the pause of its workflow holds the execution from here on; null: as before. */
  readonly workflowHold: WorkflowHold | null;
  /** Removes every item and timer the execution still has: it ends, or only its finalizers follow. */
  readonly revokesAll: boolean;
  readonly startsTimers: readonly NewTimer[];
  readonly cancelsTimers: readonly string[];
  /** Timers that stop and keep the time they have left; one that is due by now still fires. */
  readonly holdsTimers: readonly string[];
  /** Held timers that run again, with the time they had left. */
  readonly releasesTimers: readonly string[];
  /** Labels that replace those of the same names, as its events say. Absent: none. */
  readonly setsLabels?: Labels;
  /** Model usage: counted for the execution and all its ancestors. */
  readonly charge: ModelUse | null;
  /**
   * Items for workers that failed permanently; items of the engine's queue leave no dead letter.
   */
  readonly deadLetters: readonly NewDeadLetter[];
  /** Encoded state as of the last event of this plan; null: none is taken. */
  readonly snapshot: string | null;
  /** `mark`: a scheduler must look at it · `clear`: everything up to here has been decided. */
  readonly runnable: 'mark' | 'clear' | 'keep';
}

/**
 * An execution that waits in a line may make room for these when it ends, as of a reading before the commit
 * of its end. If it gets its place in between, the end frees that place without a hint. The next look finds
 * the place: a loop that has given one looks often for a while (`scheduler/loops/admit-children.ts`).
 */
export interface AwaitedLine {
  /** For others of its key: it is the first of the line, it displaces others, or it has a place of the key. */
  readonly roomInKey: boolean;
  /** For others of its tenant: a limit of the tenant counts it. */
  readonly roomInTenant: boolean;
}

/**
 * How a start stands in the line of its tenant, see `PlaceStore`. `waiting`: in the line, after those that
 * came before · `later`: not yet, because it waits for its time or its key first.
 */
export interface TenantLine {
  readonly state: 'waiting' | 'later';
  readonly shard: number;
  /** False: only if it stands there as `later`. */
  readonly isNew: boolean;
}

/**
 * `put`: the pause of the workflow holds it, which must stand · `lift`: it is given back, and the pause
 * must not stand any more · `drop`: it is of no concern to the pause any more.
 */
export interface WorkflowHold {
  readonly workflowId: string;
  readonly is: 'put' | 'lift' | 'drop';
}

/**
 * `begin`: the first decision of a child · `start`: children begin to exist · both are refused as
 * `orphaned` if an ancestor has ended, or if the execution or an ancestor is about to be cancelled
 * · `end`: children that no visit waits for are cancelled and lose their marks; it is never
 * refused, and locks ensure that it and the other two see each other.
 */
export interface TreeUse {
  readonly is: 'begin' | 'start' | 'end';
  /** The execution that all others of the tree descend from. */
  readonly rootExecutionId: ExecutionId;
  /** Descendants that this plan adds, and how many there may be of the root, ever. */
  readonly adds: number;
  readonly descendantsMax: number;
}

/** A commit that changes nothing yet, to be filled in. */
export function emptyCommit(of: {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
}): CommitPlan {
  return {
    executionId: of.executionId,
    tenantId: of.tenantId,
    create: null,
    expectedSequence: null,
    settles: [],
    keepsLeases: [],
    expiresQueued: [],
    firesTimers: [],
    events: [],
    status: null,
    error: null,
    failure: null,
    startsExecutions: [],
    tree: null,
    leavesQueue: false,
    newItems: [],
    bornLeased: [],
    retries: [],
    revokesItems: [],
    waitingItems: null,
    workflowHold: null,
    revokesAll: false,
    startsTimers: [],
    cancelsTimers: [],
    holdsTimers: [],
    releasesTimers: [],
    charge: null,
    deadLetters: [],
    snapshot: null,
    runnable: 'keep',
  };
}

/**
 * A child, or the run that continues this one, of the same tenant. It is marked runnable, or it
 * waits for a place below the tenant's limit.
 */
export interface StartedExecution {
  readonly executionId: ExecutionId;
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly shard: number;
  readonly priority: number;
  readonly parentExecutionId: ExecutionId | null;
  /** Absent: it has none. */
  readonly labels?: Labels;
  /** Its first event. */
  readonly started: NewEvent;
  /** The model usage of the run that it continues; null: it is new. */
  readonly used: ModelUse | null;
  /** A child of a tenant with a limit of executions: it begins once `PlaceStore.admit` lets it. */
  readonly waitsForPlace: boolean;
  /** The run that it continues, in the place that this one had; null: it is new. */
  readonly takesPlaceOf: ExecutionId | null;
}

export interface NewExecution {
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly shard: number;
  readonly priority: number;
  readonly parentExecutionId: ExecutionId | null;
  /** Absent: it has none. */
  readonly labels?: Labels;
  /** The caller's Idempotency-Key with a hash of the request; kept 24 h. */
  readonly request: { readonly key: string; readonly bodyHash: string } | null;
  /** Null: the tenant has no limits on what it starts. */
  readonly limits: StartLimits | null;
  /**
   * The id is derived from another execution's, so retention may have removed an execution of this
   * id. It is then refused as `exists`. Absent: the id is new.
   */
  readonly isDerived?: boolean;
  /** It does not begin before `FlowStore.admit` gives it a place. Absent: it needs none. */
  readonly awaitsPlace?: AwaitedPlace;
  /** It takes a place with its commit, or is refused as `places_taken`. Absent: it needs none. */
  readonly takesPlace?: PlaceOfKey;
}

/** One of the places of a key of concurrency, see `FlowStore`. */
export interface PlaceOfKey {
  readonly placeKey: string;
  readonly placesMax: number;
}

/** A place of a key of concurrency, a token of a rate, or both. */
export interface AwaitedPlace {
  /** Names the line that it waits in; without a rate, the places as well. */
  readonly placeKey: string;
  /** Null: it needs no place. */
  readonly placesMax: number | null;
  /** Absent: it needs no token. */
  readonly rate?: AwaitedToken;
  /** Older executions of the key end for it, see `FlowStore.listSurplus`. */
  readonly cancelsOldest?: true;
  /** Its start brought the limit, or the rate: no registration changes it. */
  readonly keepsLimit?: true;
  readonly keepsRate?: true;
  /** It gathers with others of the line, `placesMax` of them in one batch. */
  readonly batch?: { readonly waitMs: number; readonly bytes: number };
  /** It waits whether a newer one of the line comes; `next`: for what it waits then. */
  readonly debounce?: {
    readonly waitMs: number;
    readonly maxWaitMs: number | null;
    readonly next: AwaitedPlace | null;
  };
}

export interface AwaitedToken {
  /** Names the places; null: it needs none. */
  readonly placesKey: string | null;
  readonly bucket: Bucket;
}

/** Judged when the execution is made, exactly: starts of one tenant are counted one after another. */
export interface StartLimits {
  /** Executions of the tenant that have not ended, this one included; null: no limit. */
  readonly executionsMax: number | null;
  /** Nothing is started while so many items of the tenant wait for a worker; null: no limit. */
  readonly queuedItemsMax: number | null;
}

export interface LeaseRef {
  readonly workItemId: WorkItemId;
  readonly leaseFence: number;
}

export interface Settle extends LeaseRef {
  /** Only when the lease has lapsed by the database's clock (a heartbeat may have come between). */
  readonly onlyIfExpired: boolean;
}

export interface NewEvent {
  readonly kind: EventKind;
  readonly nodeId: string | null;
  /** JSON text. */
  readonly payload: string;
  readonly actorId: string;
}

export interface NewWorkItem {
  readonly ticket: WorkTicket;
  /** Null for items of the `engine` queue. */
  readonly record: WorkItemRecord | null;
}

export interface BornLease {
  readonly ticket: WorkTicket;
  /** Absent for items of the `engine` queue. */
  readonly record?: WorkItemRecord;
  readonly leaseTo: string;
  readonly leaseMs: number;
  /** The id of the claim that it answers; absent: it has none. */
  readonly claimId?: string;
}

/** Whether the plan leases items to the process that commits it. */
export function leasesHere({ bornLeased }: Pick<CommitPlan, 'bornLeased'>): boolean {
  return bornLeased.some(({ record }) => record === undefined);
}

/** Whether the plan leases items to workers. */
export function leasesToWorkers({ bornLeased }: Pick<CommitPlan, 'bornLeased'>): boolean {
  return bornLeased.some(({ record }) => record !== undefined);
}

export interface Retry {
  readonly ticket: WorkTicket;
  /** 0: on the queue at once. */
  readonly delayMs: number;
  /** The item was released and not worked on: it gets back what it had; `delayMs` is not 0. */
  readonly released: Release | null;
}

export interface Release {
  readonly leaseFence: number;
  /** Null: not known, so it goes to the end of its queue. */
  readonly place: QueuePlace | null;
  /** Its execution is paused: it is kept back until that is resumed. */
  readonly isHeld: boolean;
}

export interface NewTimer {
  /** Another execution of the tenant, which may have ended; null: that of the plan. */
  readonly executionId: ExecutionId | null;
  readonly name: string;
  readonly when: TimerSpec;
  readonly purpose: TimerPurpose;
  readonly nodeId: string | null;
  readonly visit: number | null;
}

export interface ModelUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

export interface NewDeadLetter extends FailureCause {
  readonly workItemId: WorkItemId;
  /** The attempt that was the last, from 0. */
  readonly attempt: number;
  readonly error: string;
}

export interface FailureCause {
  readonly errorClass: string;
  /** Equal for messages of one cause, so that a list of causes need not read them; below 2^48. */
  readonly causeKey: number;
}

export interface KeptFailure extends FailureCause {
  /** The node that failed. */
  readonly nodeId: string | null;
}

export type CommitVerdict =
  | {
      readonly accepted: true;
      readonly lastSequence: number;
      /** Timestamp of the plan's events. */
      readonly createdAt: string;
      /** Fences of `bornLeased`, in order. */
      readonly fences: readonly number[];
      /** The tenant is not active, so items that the plan leased to workers must not be handed out. */
      readonly isUnserved?: true;
    }
  | {
      readonly accepted: false;
      readonly reason: RefusalReason;
      readonly existing: ExistingRequest | null;
    };

/**
 * `moved`: the execution is past the expected sequence · `ended`: it is terminal · `missing`: no
 * such execution of that tenant · `stale`: a lease, queued item or timer no longer exists or is not
 * due · `duplicate_request`: the Idempotency-Key has been used (see `existing`) · `exists`: an
 * execution with that id already exists · `executions_limited`, `queue_limited`: the tenant has
 * reached `StartLimits` · `places_taken`: executions that have the places of its key, or wait for
 * them, are as many as may run · `orphaned`, `descendants_limited`: see `TreeUse` · `workflow_resumed`,
 * `workflow_paused`: a `workflowHold` is put for a pause that has ended, or lifted for one that has
 * not.
 */
export type RefusalReason =
  | 'moved'
  | 'ended'
  | 'missing'
  | 'stale'
  | 'duplicate_request'
  | 'exists'
  | 'executions_limited'
  | 'queue_limited'
  | 'places_taken'
  | 'orphaned'
  | 'descendants_limited'
  | 'workflow_resumed'
  | 'workflow_paused';

export interface ExistingRequest {
  readonly executionId: ExecutionId;
  readonly bodyHash: string;
}
