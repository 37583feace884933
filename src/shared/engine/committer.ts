import type { CommitPlan, CommitVerdict } from '../store/commit.ts';
import { type ExecutionStore, StoreUnavailableError } from '../store/store.ts';
import type { EngineReport } from './deps.ts';
import { systemTimers, type Timers } from './timers.ts';

/**
 * Gathers the commits of a whole process into batches: one transaction for many executions.
 *
 * While one of the lanes is free a commit goes out at once, alone if need be; while all are busy
 * commits queue up, and the lane that frees first takes everything that waits, up to a bound. There
 * is no timer, so at low load a commit costs one round trip, and throughput rises with load.
 *
 * A batch holds one plan per execution, since each is judged against the sequence before the batch;
 * a second plan of an execution waits for the next batch. Every caller gets the verdict on its own
 * plan. When a batch throws for its data, halves are tried until the plan at fault stands alone;
 * when the store cannot be reached every caller is told so, and nothing is tried again here, since
 * the outcome may be unknown.
 */
export interface Committer {
  /**
   * `ahead`: before the plans that wait already. For what was read a moment ago and may not be true
   * for long: an execution that is advanced without a pause could otherwise never be cancelled.
   */
  commit(plan: CommitPlan, options?: { readonly ahead?: boolean }): Promise<CommitVerdict>;
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>;
}

/** Two lanes keep the database busy while the next batch gathers; more only split the batches. */
const LANES = 2;
const BATCH_PLANS_MAX = 500;
/** Beyond this many waiting commits the store is too slow for the load: refuse rather than pile up. */
const WAITING_MAX = 20_000;

/**
 * A store without I/O answers before the event loop has gone round, so that commits following upon
 * commits would never let it: nothing else in the process would run. It gets a turn this often.
 */
const TURN_MS_MAX = 10;

interface Waiting {
  readonly plan: CommitPlan;
  readonly resolve: (verdict: CommitVerdict) => void;
  readonly reject: (error: unknown) => void;
}

export function createCommitter(deps: {
  readonly executions: Pick<ExecutionStore, 'commit'>;
  readonly report: EngineReport;
  /** 1 on a store with a single writer. */
  readonly lanes?: number;
  readonly timers?: Timers;
}): Committer {
  const { executions, report, timers = systemTimers } = deps;
  const lanes = deps.lanes ?? LANES;
  let waiting: Waiting[] = [];
  let waitingAhead: Waiting[] = [];
  let busy = 0;
  const idleListeners: (() => void)[] = [];
  let flushScheduled = false;
  /** Null: the event loop has gone round since the last batch. */
  let turnBegun: number | null = null;

  function commit(
    plan: CommitPlan,
    { ahead = false }: { readonly ahead?: boolean } = {},
  ): Promise<CommitVerdict> {
    const queue = ahead ? waitingAhead : waiting;
    if (queue.length >= WAITING_MAX) {
      const message = 'too many changes are waiting for the database';
      return Promise.reject(new StoreUnavailableError(message, { ambiguous: false }));
    }
    return new Promise((resolve, reject) => {
      queue.push({ plan, resolve, reject });
      if (busy < lanes && !flushScheduled) {
        flushScheduled = true;
        // What the present turn of the event loop still brings goes into the same batch.
        queueMicrotask(() => {
          flushScheduled = false;
          flush();
        });
      }
    });
  }

  function flush(): void {
    if (isNothingWaiting() || busy >= lanes || isTurnOver()) return;
    const batch = takeBatch();
    busy += 1;
    void runBatch(batch).finally(() => {
      busy -= 1;
      flush();
      if (busy === 0 && isNothingWaiting()) {
        for (const listener of idleListeners.splice(0)) listener();
      }
    });
  }

  function isTurnOver(): boolean {
    if (turnBegun !== null) return timers.now() - turnBegun >= TURN_MS_MAX;
    turnBegun = timers.now();
    timers.after(0, () => {
      turnBegun = null;
      flush();
    });
    return false;
  }

  function isNothingWaiting(): boolean {
    return waiting.length === 0 && waitingAhead.length === 0;
  }

  /** The oldest waiting plans, at most one per execution. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const taken = new Set<string>();
    const takeFrom = (queue: readonly Waiting[]): Waiting[] =>
      queue.filter((entry) => {
        const { executionId } = entry.plan;
        if (batch.length >= BATCH_PLANS_MAX || taken.has(executionId)) return true;
        taken.add(executionId);
        batch.push(entry);
        return false;
      });
    waitingAhead = takeFrom(waitingAhead);
    waiting = takeFrom(waiting);
    return batch;
  }

  async function runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await executions.commit(batch.map((entry) => entry.plan));
      report.count('commits', 1);
      report.observe('commit_batch_plans', batch.length);
      batch.forEach((entry, index) => {
        const verdict = verdicts[index];
        if (verdict === undefined) entry.reject(new Error('the store gave no verdict on a commit'));
        else {
          if (!verdict.accepted) report.count('commit_refusals', 1, { reason: verdict.reason });
          entry.resolve(verdict);
        }
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError || batch.length === 1) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await runBatch(batch.slice(0, middle));
      await runBatch(batch.slice(middle));
    }
  }

  return {
    commit,
    idle: () =>
      busy === 0 && isNothingWaiting()
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  };
}
