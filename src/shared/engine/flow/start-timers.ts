import { timerName } from '../../domain/execution/effect.ts';
import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { StartTimes } from '../../domain/workflow/flow/start-times.ts';
import type { TimerSpec } from '../../domain/workflow/plan/plan.ts';
import type { NewTimer } from '../../store/commit.ts';
import type { Store } from '../../store/store.ts';

/** A timer that an execution is created with. */
export interface StartTimer {
  readonly event: ExecutionEvent;
  readonly timer: NewTimer;
}

/** `mayWait` false: it begins in the commit that creates it, so it needs no deadline. */
export function startTimersOf(
  times: StartTimes | undefined,
  { mayWait }: { readonly mayWait: boolean },
): readonly StartTimer[] {
  if (times === undefined) return [];
  const { after, deadline } = times;
  return [
    ...(after === null ? [] : [startTimer('start_after', after)]),
    ...(deadline === null || !mayWait ? [] : [startTimer('start_deadline', deadline)]),
  ];
}

/** Whether the deadline is an instant that has passed: a duration passes after the start. */
export async function isDeadlineOver(
  { schedules }: Pick<Store, 'schedules'>,
  times: StartTimes | undefined,
): Promise<boolean> {
  const deadline = times?.deadline ?? null;
  if (deadline === null || !('until' in deadline)) return false;
  return Date.parse(deadline.until) <= Date.parse(await schedules.now());
}

function startTimer(purpose: 'start_after' | 'start_deadline', when: TimerSpec): StartTimer {
  const about = { purpose, nodeId: null, visit: null };
  const due = 'delayMs' in when ? { delay_ms: when.delayMs } : { until: when.until };
  return {
    event: { kind: 'TimerStarted', nodeId: null, payload: { purpose, visit: null, ...due } },
    timer: { executionId: null, name: timerName(about), when, ...about },
  };
}
