import { beginsRollback } from '../function-run.ts';
import { visitKey } from '../state.ts';
import { closeFunction, emit, endChildren, type Turn } from '../turn.ts';
import { markOfChildren } from '../undo/ending-children.ts';

/** Fails an attempt permanently, without asking the retry policy. */
export function failVisit(
  turn: Turn,
  of: {
    readonly nodeId: string;
    readonly visit: number;
    readonly attempt: number;
    readonly error: string;
    readonly errorClass: string;
  },
): void {
  const { nodeId, visit, attempt, error, errorClass } = of;
  const live = turn.draft.live.get(visitKey(nodeId, visit));
  const run = live?.run ?? null;
  if (live !== undefined && run !== null) {
    if (beginsRollback(run)) endChildren(turn, live);
    else closeFunction(turn, { nodeId, visit, run });
  }
  emit(turn, {
    kind: 'NodeFailed',
    nodeId,
    payload: {
      visit,
      attempt,
      error,
      error_class: errorClass,
      retryable: false,
      ...(live !== undefined && markOfChildren(turn.draft, live)),
    },
  });
}
