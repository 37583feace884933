import { beginsRollback } from '../function-run.ts';
import { visitKey } from '../state.ts';
import { closeFunction, emit, type Turn } from '../turn.ts';

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
  const run = turn.draft.live.get(visitKey(nodeId, visit))?.run ?? null;
  if (run !== null && !beginsRollback(run)) closeFunction(turn, { nodeId, visit, run });
  emit(turn, {
    kind: 'NodeFailed',
    nodeId,
    payload: { visit, attempt, error, error_class: errorClass, retryable: false },
  });
}
