import { SCHEDULES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Fires schedules when they are due.
 *
 * Like `fire-timers`, whose duty this shares: the process on duty rests until the next fire. Fires
 * are known long before, and the hint `schedules` tells everyone of a nearer one, so looking is for
 * lost hints only, and seldom while all is quiet. The others look shortly after a fire that should
 * have been made by then: where the process on duty is gone or frozen, it is late by `GRACE_MS`.
 */
export function fireSchedules(context: LoopContext): LoopDefinition {
  const { scheduleFiring, timersDuty, activity, now } = context;
  let nextLook = now();
  return {
    name: 'fire-schedules',
    part: 'work',
    restMs: { min: 50, max: QUIET_LOOK_MS },
    wakeOn: onTopics(context.wake, [SCHEDULES_TOPIC]),
    async run({ woken }) {
      if (!woken && now() < nextLook) return { ...NOTHING, restMsMax: nextLook - now() };
      const isMine = await timersDuty.isMine();
      const { found, more, dueInMs } = await scheduleFiring.round();
      const untilDueMs = dueInMs ?? Infinity;
      const lookMs = activity.isQuiet() ? QUIET_LOOK_MS : LOOK_MS;
      const longestMs = isMine
        ? Math.min(lookMs, untilDueMs)
        : Math.min(STANDBY_MS, untilDueMs + GRACE_MS);
      const untilLookMs = found > 0 ? 0 : longestMs;
      nextLook = now() + untilLookMs;
      return { found, more, restMsMax: untilLookMs };
    },
  };
}

const LOOK_MS = 20_000;
const QUIET_LOOK_MS = 120_000;
const STANDBY_MS = 300_000;
const GRACE_MS = 2_000;
