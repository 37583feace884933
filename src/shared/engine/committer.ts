import type { CommitPlan, CommitVerdict } from '../store/commit.ts';
import { type ExecutionStore, StoreUnavailableError } from '../store/store.ts';
import type { EngineReport } from './deps.ts';

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
  commit(plan: CommitPlan): Promise<CommitVerdict>;
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>;
}

/** Two lanes keep the database busy while the next batch gathers; more only split the batches. */
const LANES = 2;
const BATCH_PLANS_MAX = 500;
/** Beyond this many waiting commits the store is too slow for the load: refuse rather than pile up. */
const WAITING_MAX = 20_000;

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
}): Committer {
  const { executions, report } = deps;
  const lanes = deps.lanes ?? LANES;
  let waiting: Waiting[] = [];
  let busy = 0;
  const idleListeners: (() => void)[] = [];
  let flushScheduled = false;

  function commit(plan: CommitPlan): Promise<CommitVerdict> {
    if (waiting.length >= WAITING_MAX) {
      const message = 'too many changes are waiting for the database';
      return Promise.reject(new StoreUnavailableError(message, { ambiguous: false }));
    }
    return new Promise((resolve, reject) => {
      waiting.push({ plan, resolve, reject });
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
    if (waiting.length === 0 || busy >= lanes) return;
    const batch = takeBatch();
    busy += 1;
    void runBatch(batch).finally(() => {
      busy -= 1;
      flush();
      if (busy === 0 && waiting.length === 0) {
        for (const listener of idleListeners.splice(0)) listener();
      }
    });
  }

  /** The oldest waiting plans, at most one per execution. */
  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const rest: Waiting[] = [];
    const taken = new Set<string>();
    for (const entry of waiting) {
      if (batch.length < BATCH_PLANS_MAX && !taken.has(entry.plan.executionId)) {
        taken.add(entry.plan.executionId);
        batch.push(entry);
      } else rest.push(entry);
    }
    waiting = rest;
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
      busy === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  };
}
