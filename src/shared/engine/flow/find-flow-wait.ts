import { type ExecutionState, isDelayed } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { FlowWait } from '../../store/flow.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { EngineDeps } from '../deps.ts';
import { mayNeedPlace } from './needed-place.ts';

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

/**
 * Whether it waits in a queue that it joined when its time had come. It may have been marked and listed
 * before that, so the process that loads it asks. All others are in their queue before anybody marks them.
 */
export async function waitsAfterDelay(
  { store }: Pick<EngineDeps, 'store'>,
  { state, plan }: { readonly state: ExecutionState; readonly plan: Plan },
): Promise<boolean> {
  if (state.startWait === null || isDelayed(state) || !mayNeedPlace(plan)) return false;
  return (await store.flow.find(state.executionId)) !== null;
}
