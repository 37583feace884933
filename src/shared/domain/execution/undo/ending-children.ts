import { type FunctionRun, openWaits, owesRollback } from '../function-run.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { ExecutionState, LiveVisit } from '../state.ts';
import { nextUndo } from './due-undo.ts';
import type { EndingChild, UndoState } from './undo-state.ts';

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

export function awaitsChildren(undo: UndoState, visit: Starter): boolean {
  if (undo.pending.length === 0 && !owesRollback(visit.run)) return false;
  return runningChildren(visit).length > 0;
}

/** Children that must end before the first undo begins. */
export function childrenBeforeUndo(
  plan: Plan,
  state: Pick<ExecutionState, 'undo' | 'ending'>,
): readonly EndingChild[] {
  const { ending, undo } = state;
  const { endingChildren = NONE } = undo;
  if (endingChildren.length === 0 || ending === null) return NONE;
  return nextUndo(plan, state, ending.outcome) === null ? NONE : endingChildren;
}

/** The compensations of a function wait for the children that it had started. */
export function childrenBeforeRollback(
  { undo: { endingChildren = NONE } }: Pick<ExecutionState, 'undo'>,
  { nodeId, visit, signal }: Pick<LiveVisit, 'nodeId' | 'visit' | 'signal'>,
): readonly EndingChild[] {
  if (endingChildren.length === 0 || signal?.is !== 'rollback') return NONE;
  return endingChildren.filter((child) => child.nodeId === nodeId && child.visit === visit);
}

const NONE: readonly EndingChild[] = [];
