import type { ExecutionEvent } from '../../../domain/execution/event.ts';
import { isTerminal } from '../../../domain/execution/status.ts';
import type { CommitPlan, NewEvent } from '../../../store/commit.ts';
import type { Held } from '../../advance/held-execution.ts';
import type { PlannedDecision } from '../../advance/plan-step.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import { decideHere, isForScheduler } from '../decide-here.ts';
import type { Settleable } from '../worker-leases.ts';

/*
 * The commit that ends a turn of a durable function also decides what follows; see `decide-here.ts`. Two
 * more kinds of turns are left to a scheduler: those that start or end children, since their tree must
 * allow it, and those whose timers the decision would take back at once.
 */

export interface TurnChange {
  readonly found: Settleable;
  readonly events: readonly ExecutionEvent[];
  /** The same events as they are stored. */
  readonly stored: readonly NewEvent[];
  readonly commit: TurnCommit;
}

/** The parts of a commit that a turn may change; `withChange` keeps each of them. */
export type TurnCommit = Partial<
  Pick<
    CommitPlan,
    | 'cancelsTimers'
    | 'deadLetters'
    | 'holdsTimers'
    | 'keepsLeases'
    | 'runnable'
    | 'setsLabels'
    | 'settles'
    | 'startsExecutions'
    | 'startsTimers'
    | 'tree'
  >
>;

/** Null: the turn does not end, or a scheduler must decide. */
export async function decideTurn(
  deps: UseCaseDeps,
  known: Held,
  { found, events, stored, commit: change }: TurnChange,
): Promise<PlannedDecision | null> {
  const { settles = [], startsTimers = [] } = change;
  if (settles.length === 0 || hasChildren(change) || isForScheduler(known)) return null;
  const given = { facts: events, stored, settles: [found.lease] };
  const planned = await decideHere(deps, known, given);
  if (planned === null) return null;
  const { cancelsTimers, status } = planned.commit;
  const takesBack = cancelsTimers.length > 0 || (status !== null && isTerminal(status));
  if (startsTimers.length > 0 && takesBack) return null;
  return { ...planned, commit: withChange(planned.commit, change) };
}

function hasChildren({ tree = null, startsExecutions = [] }: TurnCommit): boolean {
  return tree !== null || startsExecutions.length > 0;
}

/** The decision has its own leases, marks and children; a turn that has children is not decided here. */
function withChange(decided: CommitPlan, change: TurnCommit): CommitPlan {
  const { startsTimers = [], deadLetters = [], setsLabels } = change;
  const together = {
    ...decided,
    startsTimers: [...decided.startsTimers, ...startsTimers],
    deadLetters,
    ...(setsLabels !== undefined && { setsLabels }),
  };
  // The end of an execution removes its timers.
  if (decided.revokesAll) return together;
  const { cancelsTimers = [], holdsTimers = [] } = change;
  const released = new Set(decided.releasesTimers);
  return {
    ...together,
    cancelsTimers: [...decided.cancelsTimers, ...cancelsTimers],
    // The clock of a turn that follows at once never stops.
    holdsTimers: [
      ...decided.holdsTimers,
      ...holdsTimers.filter((name) => !released.has(name) && !decided.cancelsTimers.includes(name)),
    ],
    releasesTimers: decided.releasesTimers.filter((name) => !holdsTimers.includes(name)),
  };
}
