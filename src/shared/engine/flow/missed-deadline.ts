import { DEADLINE_TIMER } from '../../domain/execution/explain/questions.ts';
import { type ExecutionState, isDelayed } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import type { DueTimer } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';

/**
 * The timer of a start deadline that has passed and has not fired yet; null: there is none. After a rest of
 * all processes, places are given while timers still fire, so one may get its place too late. Asks the store
 * only if the execution waited for its beginning and has a deadline.
 */
export async function findMissedDeadline(
  { store }: Pick<EngineDeps, 'store'>,
  state: ExecutionState,
): Promise<DueTimer | null> {
  const { executionId, tenantId, startWait } = state;
  if (startWait === null || !startWait.hasDeadline || startWait.isOverdue) return null;
  if (isDelayed(state) || isTerminal(state.status)) return null;
  const timer = { executionId, name: DEADLINE_TIMER };
  if (!(await store.timers.isDue(timer))) return null;
  return { ...timer, tenantId, purpose: 'start_deadline', nodeId: null, visit: null };
}
