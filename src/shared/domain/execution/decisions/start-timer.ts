import type { TimerSpec } from '../../workflow/plan/plan.ts';
import { type TimerAbout, timerName } from '../effect.ts';
import { emit, type Turn } from '../turn.ts';

interface NewTimer {
  readonly about: TimerAbout & { readonly visit: number };
  readonly when: TimerSpec;
  /** The clock of a function that does not count the time in which it is suspended. */
  readonly more?: { readonly count_suspended?: false };
}

export function startTimer(turn: Turn, { about, when, more }: NewTimer): void {
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
