import type { CommitPlan, CommitVerdict } from '../../src/shared/store/commit.ts';
import type { RetentionStore } from '../../src/shared/store/retention.ts';
import type { ExecutionStore, Store, WorkStore } from '../../src/shared/store/store.ts';
import type { SeenRemoval } from '../invariants/checks/check-archives.ts';
import type { SeenEngineClaim } from '../invariants/checks/check-tenant-turns.ts';
import type { SeenClaim } from '../invariants/checks/check-turns.ts';
import type { Dump } from '../invariants/dump.ts';
import type { DecidedCommit } from './check-decisions.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Dice } from './dice.ts';

/** Takes a dump of the tables. */
type Look = (of?: { readonly isLast?: boolean; readonly removal?: Dump['removal'] }) => void;

/**
 * Takes dumps after a share of the commits, after each commit that may exceed a limit, and around
 * each removal. Records the claims of workers, with what they found, if `seesClaims` is set, and what
 * waited before items were taken back; and those of schedulers, if `seesTurns` is set. Records the commits that decide. Records each removal with its
 * archive, which `archiveOf` answers.
 */
export function watchDatabase(
  database: SimulatedDatabase,
  of: {
    readonly dice: Dice;
    readonly sampled: number;
    readonly seesClaims: boolean;
    /** Whether it records the claims of schedulers, too. */
    readonly seesTurns: boolean;
    readonly onCommits: (plans: readonly CommitPlan[], verdicts: readonly CommitVerdict[]) => void;
    readonly archiveOf: (file: string) => SeenRemoval['archive'];
  },
): {
  readonly database: SimulatedDatabase;
  readonly dumps: Dump[];
  readonly claims: SeenClaim[];
  readonly engineClaims: readonly SeenEngineClaim[];
  readonly decided: readonly DecidedCommit[];
  readonly removals: readonly SeenRemoval[];
  readonly look: Look;
} {
  const { dice, sampled, seesClaims, seesTurns, onCommits, archiveOf } = of;
  const dumps: Dump[] = [];
  const claims: SeenClaim[] = [];
  const engineClaims: SeenEngineClaim[] = [];
  const decided: DecidedCommit[] = [];
  const removals: SeenRemoval[] = [];
  let isOver = false;
  let processes = 0;
  const now = () => Math.floor(database.clock.now());

  const look: Look = ({ isLast = false, removal } = {}) => {
    if (isOver) return;
    isOver = isLast;
    dumps.push({
      ...database.dump({ isLast }),
      takenAt: now(),
      ...(removal !== undefined && { removal }),
    });
  };

  function watchCommits(executions: ExecutionStore): ExecutionStore {
    return {
      ...executions,
      commit: async (plans) => {
        if (seesClaims && plans.some(takesBack)) {
          claims.push({ process: 0, at: now(), waiting: database.waiting(), taken: [] });
        }
        const verdicts = await executions.commit(plans);
        decided.push(...decidedIn(plans, verdicts));
        onCommits(plans, verdicts);
        const mayExceed = plans.some(
          ({ create }, index) => (create?.limits ?? null) !== null && verdicts[index]?.accepted,
        );
        if (mayExceed || dice.chance(sampled)) look();
        return verdicts;
      },
    };
  }

  function watchRemovals(retention: RetentionStore): RetentionStore {
    return {
      ...retention,
      retire: async (retiring) => {
        look({ removal: 'follows' });
        const before = dumps.at(-1);
        const { archive } = retiring.told;
        const seen = typeof archive === 'string' ? archiveOf(archive) : null;
        const isGone = await retention.retire(retiring);
        if (isGone && before !== undefined) {
          const executionIds = retiring.executions.map(({ executionId }) => executionId);
          removals.push({ executionIds, before, archive: seen });
        }
        look();
        return isGone;
      },
    };
  }

  /** A claim or a commit runs at once, so nothing changes between what is read here and what it finds. */
  function watchClaims(work: WorkStore, process: number): WorkStore {
    if (!seesClaims) return work;
    return {
      ...work,
      claimTogether: async (request) => {
        const seen = { process, at: now(), waiting: database.waiting() };
        const items = await work.claimTogether(request);
        const taken = items.flat().map(({ ticket }) => ticket.workItemId);
        if (taken.length > 0) claims.push({ ...seen, taken });
        return items;
      },
    };
  }

  /** Schedulers claim from no other queue here. */
  function watchTurns(work: WorkStore, process: number): WorkStore {
    if (!seesTurns) return work;
    return {
      ...work,
      claim: async (request) => {
        const { limit, shards, heldOf: held = null } = request;
        const waiting = database.waitingCalls(shards);
        const items = await work.claim(request);
        const taken = items.map(({ ticket }) => ticket.workItemId);
        engineClaims.push({ process, limit, held, waiting, taken });
        return items;
      },
    };
  }

  const openProcess = (): Store => {
    const process = (processes += 1);
    const { executions, retention, work, ...store } = database.openProcess();
    return {
      ...store,
      executions: watchCommits(executions),
      retention: watchRemovals(retention),
      work: watchTurns(watchClaims(work, process), process),
    };
  };
  const watched = { ...database, openProcess };
  return { database: watched, dumps, claims, engineClaims, decided, removals, look };
}

function takesBack({ revokesAll, revokesItems, waitingItems, expiresQueued }: CommitPlan): boolean {
  return revokesAll || waitingItems === 'hold' || revokesItems.length + expiresQueued.length > 0;
}

function decidedIn(
  plans: readonly CommitPlan[],
  verdicts: readonly CommitVerdict[],
): readonly DecidedCommit[] {
  return plans.flatMap(({ executionId, events, runnable }, index) => {
    const verdict = verdicts[index];
    if (runnable !== 'clear' || verdict?.accepted !== true) return [];
    const last = verdict.lastSequence;
    return [{ executionId, first: last - events.length + 1, last }];
  });
}
