import { type StartWait } from '../state.ts';
import { timerName } from '../effect.ts';
import type { Turn } from '../turn.ts';
import { failExecution } from './end-execution.ts';

/** Fails an execution whose deadline has passed before its first visit. False: it may begin. */
export function failUnbegun(turn: Turn): boolean {
  const { startWait, ending } = turn.draft;
  if (startWait?.isOverdue !== true || ending !== null) return false;
  failExecution(turn, {
    nodeId: null,
    error: 'the execution did not begin by its start deadline',
    errorClass: 'start_deadline_exceeded',
  });
  return true;
}

/** Removes the timer of the deadline if this decision has begun the first visit. */
export function startsInTime(turn: Turn, { hasDeadline, isOverdue }: StartWait): void {
  if (!hasDeadline || isOverdue || turn.draft.startWait !== null) return;
  const about = { purpose: 'start_deadline', nodeId: null, visit: null } as const;
  turn.effects.push({ do: 'cancel_timer', name: timerName(about) });
}
