import { type FunctionRun, openWaits, owesRollback } from '../function-run.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import { type ExecutionState, type LiveVisit, visitKey } from '../state.ts';
import { nextUndo } from './due-undo.ts';
import type { EndingChild, EndingChildren, UndoState } from './undo-state.ts';

/*
 * A child undoes its own steps when it is cancelled, and they completed after those that its parent had
 * completed before. So nothing of the parent is undone before the child has ended. The event that ends
 * the visit says that it is waited for, and the child then reports its end although no visit of the
 * parent waits for it any more. A parent with nothing to undo waits for no child.
 */

type Starter = Pick<LiveVisit, 'nodeId' | 'visit' | 'phase' | 'childId' | 'signal'> & {
  readonly run: FunctionRun | null;
};

/** Children of a live visit whose ends are not recorded. */
export function runningChildren(of: Starter): readonly EndingChild[] {
  const { nodeId, visit, run, phase, childId, signal } = of;
  if (run !== null) {
    return openWaits(run).flatMap((wait) =>
      wait.childId === null ? [] : [{ nodeId, visit, step: wait.identity, childId: wait.childId }],
    );
  }
  const isAwaited = phase === 'child' && signal === null && childId !== null;
  return isAwaited ? [{ nodeId, visit, step: null, childId }] : [];
}

/** Part of the event that ends a visit: whether undos wait for its children. */
export function markOfChildren(
  { undo }: Pick<ExecutionState, 'undo'>,
  visit: Starter,
): { readonly awaits_children?: true } {
  return awaitsChildren(undo, visit) ? { awaits_children: true } : {};
}

/**
 * Whether undos wait for the children that a function leaves when it completes or continues as new. Its
 * own undo is one of them: it may be undone later, and its compensations are not.
 */
export function leavesChildren(
  { pending }: UndoState,
  visit: Starter & Pick<LiveVisit, 'undo'>,
): boolean {
  if (pending.length === 0 && visit.undo === undefined) return false;
  return runningChildren(visit).length > 0;
}

export function awaitsChildren(undo: UndoState, visit: Starter): boolean {
  if (undo.pending.length === 0 && !owesRollback(visit.run)) return false;
  return runningChildren(visit).length > 0;
}

/** Whether the first undo waits for the ends of children. */
export function undosAwaitChildren(
  plan: Plan,
  state: Pick<ExecutionState, 'undo' | 'ending'>,
): boolean {
  const { ending, undo } = state;
  if (undo.endingChildren === undefined || ending === null) return false;
  return nextUndo(plan, state, ending.outcome) !== null;
}

/** All children that undos may wait for, in the order in which their visits ended. */
export function endingChildrenOf({ undo }: Pick<ExecutionState, 'undo'>): readonly EndingChild[] {
  return undo.endingChildren?.values().toArray().flat() ?? NONE;
}

export function byVisit(children: readonly EndingChild[]): EndingChildren {
  return Map.groupBy(children, ({ nodeId, visit }) => visitKey(nodeId, visit));
}

/** The compensations of a function wait for the children that it had started. */
export function childrenBeforeRollback(
  { undo: { endingChildren } }: Pick<ExecutionState, 'undo'>,
  { nodeId, visit, signal }: Pick<LiveVisit, 'nodeId' | 'visit' | 'signal'>,
): readonly EndingChild[] {
  if (endingChildren === undefined || signal?.is !== 'rollback') return NONE;
  return endingChildren.get(visitKey(nodeId, visit)) ?? NONE;
}

const NONE: readonly EndingChild[] = [];
