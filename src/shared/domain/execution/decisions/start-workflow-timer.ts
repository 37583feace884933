import { timerName } from '../effect.ts';
import { emit, type Turn } from '../turn.ts';

/**
 * The first decision of an execution starts the timer of its time limit, even if events were
 * recorded before.
 */
export function startWorkflowTimer(turn: Turn): void {
  const delayMs = turn.plan.workflowTimeoutMs;
  const { workflowTimerStarted, ending } = turn.draft;
  if (workflowTimerStarted || delayMs === null || ending !== null) return;
  const about = { purpose: 'workflow_timeout', nodeId: null, visit: null } as const;
  emit(turn, {
    kind: 'TimerStarted',
    nodeId: null,
    payload: { purpose: about.purpose, visit: null, delay_ms: delayMs },
  });
  turn.effects.push({ do: 'start_timer', name: timerName(about), when: { delayMs }, about });
}
