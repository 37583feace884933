import type { TimerSpec } from '../../workflow/plan/plan.ts';
import { type TimerAbout, timerName } from '../effect.ts';
import { emit, type Turn } from '../turn.ts';

export function startTimer(
  turn: Turn,
  about: TimerAbout & { readonly visit: number },
  when: TimerSpec,
  more: { readonly count_suspended?: false } = {},
): void {
  const { purpose, nodeId, visit } = about;
  emit(turn, {
    kind: 'TimerStarted',
    nodeId,
    payload: {
      purpose,
      visit,
      ...('delayMs' in when ? { delay_ms: when.delayMs } : { until: when.until }),
      ...more,
    },
  });
  turn.effects.push({ do: 'start_timer', name: timerName(about), when, about });
}
