import { finalizersOf } from '../finalizers.ts';
import { enterOnBudget, planNode, type Turn } from '../turn.ts';
import type { LiveVisit } from '../state.ts';
import { enterNode } from './enter-node.ts';

/** Starts the next finalizer that has not been entered yet. Each is entered once, at visit 0. */
export function startFinalizers(turn: Turn): boolean {
  const { ending, nextVisit } = turn.draft;
  if (ending === null) return false;
  // Finalizers put in order what rollbacks and undos leave.
  const isBefore = ({ run, undoes }: LiveVisit) => run?.mode === 'rollback' || undoes !== undefined;
  if (turn.draft.live.values().some(isBefore)) return false;
  const due = finalizersOf(turn.plan, ending.outcome).find((id) => !nextVisit.has(id));
  if (due === undefined) return false;
  enterOnBudget(turn, () => enterNode(turn, planNode(turn, due)));
  return true;
}
