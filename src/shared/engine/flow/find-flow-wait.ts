import { type ExecutionState, isDelayed } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { AwaitedLine } from '../../store/commit.ts';
import type { FlowWait } from '../../store/flow.ts';
import type { PlaceWait, WaitBounds } from '../../store/places.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { isUnbegun } from '../advance/family.ts';
import type { EngineDeps } from '../deps.ts';
import type { TenantDirectory } from '../tenants/tenant-directory.ts';
import { mayNeedPlace } from './needed-place.ts';

/** For callers who only ask whether an execution waits. */
export const UNCOUNTED: WaitBounds = { aheadMax: 0 };

/** Null: the execution waits for no place of a key. Asks the store only if it may wait for one. */
export async function findFlowWait(
  { store }: Pick<EngineDeps, 'store'>,
  state: ExecutionState,
  bounds?: WaitBounds,
): Promise<FlowWait | null> {
  return mayWait(state) ? store.flow.find(state.executionId, bounds) : null;
}

/** Null: the execution waits in no line. Asks the store only if it may wait in one. */
export async function findLine(
  { store }: Pick<EngineDeps, 'store'>,
  state: ExecutionState,
): Promise<AwaitedLine | null> {
  return mayWait(state) ? store.flow.findLine(state.executionId) : null;
}

/** For programs without a directory of tenants as well. */
export interface TenantReader {
  readonly tenants: Pick<TenantDirectory, 'get'>;
}

/** Null: the execution waits for no place of its tenant. Asks the store only if it may wait for one. */
export async function findPlaceWait(
  { store, tenants }: Pick<EngineDeps, 'store'> & TenantReader,
  state: ExecutionState,
  bounds?: WaitBounds,
): Promise<PlaceWait | null> {
  if (!isUnbegun(state)) {
    if (!mayWait(state)) return null;
    const { limits } = await tenants.get(state.tenantId);
    if (limits.max_concurrent_executions === undefined) return null;
  }
  return store.places.find(state.executionId, bounds);
}

function mayWait({ parent, continuedFrom, live, ending, status }: ExecutionState): boolean {
  const isRoot = parent === null && continuedFrom === null;
  return isRoot && live.size === 0 && ending === null && !isTerminal(status);
}

/**
 * Whether it waits in a queue, for a process that may have loaded it nevertheless. Asks the store only in two
 * cases, since nobody marks or lists what is in its queue already. It joined the queue when its time had come:
 * it may have been marked before that. Or an answer was lost, perhaps that to its start: another request with
 * the same id may have made it wait.
 */
export async function waitsInQueue(
  deps: Pick<EngineDeps, 'store'> & TenantReader,
  of: {
    readonly state: ExecutionState;
    readonly plan: Plan;
    readonly wasAnswerLost: boolean;
  },
): Promise<boolean> {
  const { state, plan, wasAnswerLost } = of;
  if (isDelayed(state) || (state.startWait === null && !wasAnswerLost)) return false;
  // In this order: from the line of its key it may move to that of its tenant in between.
  const mayQueue = state.startRules !== null || mayNeedPlace(plan);
  if (mayQueue && (await findFlowWait(deps, state, UNCOUNTED)) !== null) return true;
  return (await findPlaceWait(deps, state, UNCOUNTED)) !== null;
}
