import { type StartWait } from '../state.ts';
import { timerName } from '../effect.ts';
import { terminalEvent } from '../finalizers.ts';
import { emit, type Turn } from '../turn.ts';

/**
 * Fails an execution whose deadline has passed before its first visit, without its finalizers. False:
 * it may begin.
 */
export function failUnbegun(turn: Turn): boolean {
  if (turn.draft.startWait?.isOverdue !== true) return false;
  const failure = {
    nodeId: null,
    error: 'the execution did not begin by its start deadline',
    errorClass: 'start_deadline_exceeded',
  };
  emit(turn, terminalEvent('failed', failure));
  return true;
}

/** Removes the timer of the deadline if this decision has begun the first visit. */
export function startsInTime(turn: Turn, { hasDeadline, isOverdue }: StartWait): void {
  if (!hasDeadline || isOverdue || turn.draft.startWait !== null) return;
  const about = { purpose: 'start_deadline', nodeId: null, visit: null } as const;
  turn.effects.push({ do: 'cancel_timer', name: timerName(about) });
}
