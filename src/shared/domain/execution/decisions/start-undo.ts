import { enterOnBudget, planNode, type Turn } from '../turn.ts';
import { isSetAside, nextUndo } from '../undo/due-undo.ts';
import { enterUndo } from './enter-node.ts';

/**
 * Starts the undo of the visit that completed last, once nothing else is live: one at a time, so each
 * sees what the later ones have undone. An undo that waits for a person holds up no other.
 */
export function startUndo(turn: Turn): boolean {
  const { draft, plan } = turn;
  if (draft.ending === null || !draft.live.values().every(isSetAside)) return false;
  const due = nextUndo(plan, draft, draft.ending.outcome);
  const by = due && plan.undos.get(due.nodeId);
  if (due === null || by === undefined || by === null) return false;
  enterOnBudget(turn, () => enterUndo(turn, planNode(turn, by.nodeId), due));
  return true;
}
