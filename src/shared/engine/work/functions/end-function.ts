import { type FunctionRun, openEnds } from '../../../domain/execution/function-run.ts';
import type { ExecutionState } from '../../../domain/execution/state.ts';
import type { CommitPlan } from '../../../store/commit.ts';
import { parentEnded, treeUseOf } from '../../advance/family.ts';

/** The timers of the waits of a function, and its children: they end with its visit. */
export function endsWithFunction(
  state: ExecutionState,
  of: {
    readonly nodeId: string;
    readonly visit: number;
    readonly run: FunctionRun;
    /** Undos wait for the ends of its children. */
    readonly awaits?: boolean;
  },
): Pick<CommitPlan, 'cancelsTimers' | 'startsTimers' | 'tree'> {
  const { timers, children } = openEnds(of);
  const awaitedBy = of.awaits === true ? of : null;
  const startsTimers = children.map((childId) => parentEnded(childId, awaitedBy));
  const tree =
    startsTimers.length === 0
      ? null
      : treeUseOf({ base: state, children: 0, goesOn: false, startsTimers, descendantsMax: 0 });
  return { cancelsTimers: timers, startsTimers, tree };
}
