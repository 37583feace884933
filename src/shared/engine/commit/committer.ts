import type { CommitPlan, CommitVerdict } from '../../store/commit.ts';
import { type ExecutionStore, StoreUnavailableError } from '../../store/store.ts';
import type { EngineReport } from '../report.ts';
import { reportCommits } from './report-commits.ts';
import { afterMicrotasks, systemTimers, type Timers } from '../scheduling/timers.ts';

/**
 * Gathers the commits of a whole process into batches: one transaction for many executions.
 *
 * While no batch is running, a commit is sent at once, alone if necessary. Later commits wait until
 * the batch returns, and are then sent in order of arrival. So at low load a commit is one round
 * trip, and throughput rises with load: a batch costs as much as about twenty more plans in it,
 * which is why a few plans never get a parallel batch.
 *
 * Many plans do, on the second lane, and then each batch takes its lane's share of all executions.
 * Executions follow a verdict with their next commit, so plans that are sent together return
 * together: with a single batch, database and process would take turns, each idle while the other
 * works. With two, the process decides one lane's executions while the database commits the
 * other's. For the same reason a free lane waits for the commits that its own verdicts cause within
 * this turn of the event loop.
 *
 * A batch holds one plan per execution, since each is judged against the sequence before the batch;
 * a second plan of an execution waits for the next batch. Every caller gets the verdict on its own
 * plan. When a batch throws because of its data, halves are tried until the faulty plan is alone.
 * When the store is unreachable, every caller gets the error, and nothing is retried here, because
 * the outcome may be unknown.
 */
export interface Committer {
  /**
   * `ahead`: before the waiting plans. For a plan whose reads soon become outdated: an execution
   * that advances without a pause could otherwise never be cancelled.
   */
  commit(plan: CommitPlan, options?: { readonly ahead?: boolean }): Promise<CommitVerdict>;
  /** All plans are accepted, or none: see `CommitPlan.isTogether`. Sent at once. */
  commitTogether(plans: readonly CommitPlan[]): Promise<readonly CommitVerdict[]>;
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>;
}

/** Two lanes keep the database busy while the next batch gathers; more only split the batches. */
const LANES = 2;
/**
 * A lane opens beside another for this many plans. A batch cost 0.9 ms of the database and 0.6 ms of
 * the process, a plan in it 0.08 ms of both: halves of fewer cost more than taking turns does.
 */
const LANE_PLANS_MIN = 16;
/**
 * After this time a running batch counts as delayed, for example by a lock, and another lane opens.
 */
const LATE_MS = 20;
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

interface CommitterDeps {
  readonly executions: Pick<ExecutionStore, 'commit'>;
  readonly report: EngineReport;
  /** 1 on a store with a single writer. */
  readonly lanes?: number;
  readonly timers?: Timers;
}

export function createCommitter(deps: CommitterDeps): Committer {
  const { lanes = LANES, timers = systemTimers } = deps;
  const queue = createCommitQueue();
  const pace = createPace(timers, flush);
  let busy = 0;
  /** Plans in the batches under way. */
  let sent = 0;
  let sentAt = 0;
  const idleListeners: (() => void)[] = [];
  let flushScheduled = false;

  /** Commits from the rest of this turn of the event loop go into the same batch. */
  function flushSoon(): void {
    if (busy >= lanes || flushScheduled) return;
    flushScheduled = true;
    afterMicrotasks(() => {
      flushScheduled = false;
      flush();
    });
  }

  function flush(): void {
    while (isWorthLane() && !pace.isTurnOver()) {
      const batch = queue.take(shareOf(sent + queue.size(), lanes));
      busy += 1;
      sent += batch.length;
      sentAt = timers.now();
      void runBatch(deps, batch).finally(() => {
        busy -= 1;
        sent -= batch.length;
        if (queue.size() > 0) return flushSoon();
        if (busy === 0) for (const listener of idleListeners.splice(0)) listener();
      });
    }
  }

  function isWorthLane(): boolean {
    if (busy >= lanes || queue.size() === 0) return false;
    if (busy === 0 || queue.isUrgent()) return true;
    const waitMs = sentAt + LATE_MS - timers.now();
    if (waitMs > 0) pace.lookAgain(waitMs);
    return waitMs <= 0;
  }

  return {
    commit: (plan, options) =>
      new Promise((resolve, reject) => {
        if (queue.add({ plan, resolve, reject }, options?.ahead === true)) return flushSoon();
        const message = 'too many changes are waiting for the database';
        reject(new StoreUnavailableError(message, { ambiguous: false }));
      }),
    async commitTogether(plans) {
      const together = plans.map((plan) => ({ ...plan, isTogether: true }) as const);
      const verdicts = await deps.executions.commit(together);
      reportCommits(deps.report, together, verdicts);
      return verdicts;
    },
    idle: () =>
      busy === 0 && queue.size() === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  };
}

/** How many of these plans the next batch takes. */
function shareOf(underWay: number, lanes: number): number {
  const fair = Math.ceil(underWay / lanes);
  return Math.min(fair >= LANE_PLANS_MIN ? fair : underWay, BATCH_PLANS_MAX);
}

interface CommitQueue {
  /** False: it is full. */
  add(entry: Waiting, ahead: boolean): boolean;
  /** The oldest waiting plans, at most one per execution. */
  take(plansMax: number): Waiting[];
  size(): number;
  /** Worth another lane at once. */
  isUrgent(): boolean;
}

function createCommitQueue(): CommitQueue {
  let waiting: Waiting[] = [];
  let waitingAhead: Waiting[] = [];
  return {
    add(entry, ahead) {
      const queue = ahead ? waitingAhead : waiting;
      if (queue.length >= WAITING_MAX) return false;
      queue.push(entry);
      return true;
    },
    take(plansMax) {
      const batch: Waiting[] = [];
      const taken = new Set<string>();
      const takeFrom = (queue: readonly Waiting[]): Waiting[] =>
        queue.filter((entry) => {
          const { executionId } = entry.plan;
          if (batch.length >= plansMax || taken.has(executionId)) return true;
          taken.add(executionId);
          batch.push(entry);
          return false;
        });
      waitingAhead = takeFrom(waitingAhead);
      waiting = takeFrom(waiting);
      return batch;
    },
    size: () => waiting.length + waitingAhead.length,
    isUrgent: () => waitingAhead.length > 0 || waiting.length >= LANE_PLANS_MIN,
  };
}

interface Pace {
  /** Flushes after this time, unless it already will. */
  lookAgain(afterMs: number): void;
  /** True: the event loop must go round first, and then the plans are flushed. */
  isTurnOver(): boolean;
}

function createPace(timers: Timers, flush: () => void): Pace {
  let isLookingAgain = false;
  /** Null: the event loop has gone round since the last batch. */
  let turnBegun: number | null = null;
  return {
    lookAgain(afterMs) {
      if (isLookingAgain) return;
      isLookingAgain = true;
      timers.after(afterMs, () => {
        isLookingAgain = false;
        flush();
      });
    },
    isTurnOver() {
      if (turnBegun !== null) return timers.now() - turnBegun >= TURN_MS_MAX;
      turnBegun = timers.now();
      timers.after(0, () => {
        turnBegun = null;
        flush();
      });
      return false;
    },
  };
}

async function runBatch(deps: CommitterDeps, batch: readonly Waiting[]): Promise<void> {
  try {
    const plans = batch.map((entry) => entry.plan);
    const verdicts = await deps.executions.commit(plans);
    batch.forEach((entry, index) => {
      const verdict = verdicts[index];
      if (verdict === undefined) entry.reject(new Error('the store gave no verdict on a commit'));
      else entry.resolve(verdict);
    });
    reportCommits(deps.report, plans, verdicts);
  } catch (error) {
    if (error instanceof StoreUnavailableError || batch.length === 1) {
      for (const entry of batch) entry.reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await runBatch(deps, batch.slice(0, middle));
    await runBatch(deps, batch.slice(middle));
  }
}
