import type { ExecutionState } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { FlowWait } from '../../store/flow.ts';
import type { EngineDeps } from '../deps.ts';

/** Null: the execution waits for no place of a key. Asks the store only if it may wait for one. */
export async function findFlowWait(
  { store }: Pick<EngineDeps, 'store'>,
  state: ExecutionState,
): Promise<FlowWait | null> {
  return mayWait(state) ? store.flow.find(state.executionId) : null;
}

function mayWait({ parent, continuedFrom, live, ending, status }: ExecutionState): boolean {
  const isRoot = parent === null && continuedFrom === null;
  return isRoot && live.size === 0 && ending === null && !isTerminal(status);
}
