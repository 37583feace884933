import type { TimerPurpose } from '../domain/execution/event-payloads.ts';
import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { WorkTicket } from '../domain/work/work-item.ts';

export interface TimerStore {
  /** Due timers, oldest first. */
  listDue(params: { readonly limit: number }): Promise<readonly DueTimer[]>;
  /** Whether the timer is set and due. */
  isDue(timer: Pick<DueTimer, 'executionId' | 'name'>): Promise<boolean>;
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
  /** Finds the work that waits for any scheduler, in one statement. */
  lookAround(): Promise<WaitingWork>;
}

/** True may also mean work that a round cannot do now, for example that of an inactive tenant. */
export interface WaitingWork {
  /** Executions with something to decide. */
  readonly executions: boolean;
  /** Items on the queue of the engine. */
  readonly engineItems: boolean;
  /** Items past the time by which a worker had to take them. */
  readonly overdueItems: boolean;
  /** Leases that may have lapsed. */
  readonly lapsedLeases: boolean;
  /** As `TimerStore.nextDueInMs`. */
  readonly nextDueInMs: number | null;
}

/**
 * The owners of shards. Locks only save work; they never guard correctness. They belong to a
 * dedicated connection; when it breaks, all are gone and `held` is empty.
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
  /** Resolves when all of them are sent or dropped, for a program that ends now. Never rejects. */
  flush(): Promise<void>;
  /** Starts listening; `onTopics` gets topics of other processes. */
  listen(onTopics: (topics: readonly string[]) => void): Promise<void>;
}

export const SHARD_COUNT = 64;
