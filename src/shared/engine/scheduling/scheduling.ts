import type { ExecutionId } from '../../domain/ids.ts';
import type { AdmissionRound } from '../admission/admission.ts';
import type { QuotaRound } from './admit-quota-items.ts';
import type { RoundResult } from './round-result.ts';
import type { PauseSweep } from './sweep-workflow-pauses.ts';

/**
 * The interface for the scheduler's loops. Each method does one bounded round and returns how much
 * it found, so that the loop knows whether to continue at once or to wait. All may throw
 * StoreUnavailableError; every one is safe to run in several processes at a time.
 */
export interface Scheduling {
  /**
   * Decides and commits until the execution waits for the outside, running the items of in-engine
   * nodes on the way. For an execution under way here, tells its runner to read it again, and returns.
   */
  advance(executionId: ExecutionId): Promise<void>;
  /** Advances runnable executions, and begins at most `limit` in this round. */
  advanceRunnable(round: ShardRound): Promise<RoundResult>;
  /**
   * From now on executions of these shards that are started in this process begin here at once,
   * while fewer than so many are under way; see `starts-here.ts`.
   */
  takeStarts(params: { readonly shards: readonly number[]; readonly underWayMax: number }): void;
  /** Claims queued items of in-engine nodes (retries, hand-overs) and starts them. */
  runQueuedNodes(round: ShardRound): Promise<RoundResult>;
  /** Leases that lapsed or ran out of time count as a failed attempt. */
  reclaimLeases(params: { readonly limit: number }): Promise<RoundResult>;
  /** Queued items that waited longer than their schedule-to-start bound fail the attempt. */
  expireQueued(params: { readonly limit: number }): Promise<RoundResult>;
  /** Timers that are due fire, retries that are due go back to their queues. */
  fireTimers(params: { readonly limit: number }): Promise<RoundResult>;
  /** Lets children begin that wait for a place of their tenant's limit. */
  admitChildren(): Promise<AdmissionRound>;
  /** Moves items to the queue of their workers that wait for a place or a token of a quota. */
  admitQuotaItems(): Promise<QuotaRound>;
  /** Holds executions of paused workflows, and releases those of workflows that were resumed. */
  readonly sweepWorkflowPauses: PauseSweep['round'];
  /** Renews the leases of in-engine items under way here; a lost one aborts its run. */
  renewOwnLeases(): Promise<RoundResult>;
  /** In-engine items and executions under way in this process. */
  underWay(): number;
  /** Starts nothing more; resolves when what is under way has ended or was given back. */
  drain(params: { readonly deadlineMs: number }): Promise<void>;
}

/** A round over these shards, which finds at most `limit`. */
export interface ShardRound {
  readonly shards: readonly number[];
  readonly limit: number;
}
