import { TIMERS_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { REST_WHILE_LOOKED_MS } from './look-around.ts';
import { onTopicsAndSight } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Fires timers and promotes retries when they are due.
 *
 * The process on duty reads when the next one is due and waits until then; the hint `timers`
 * announces a possibly earlier one, and a look around one that is due soon. The others read it only
 * after a look around has seen one, or seldom, and again shortly after the time at
 * which the next one should have fired. So if the process on duty is gone or frozen, timers are
 * late by `GRACE_MS` only, not by the time until its loss is noticed.
 */
export function fireTimers(context: LoopContext): LoopDefinition {
  const { scheduling, store, timersDuty, lookout, now } = context;
  let nextLook = now();
  return {
    name: 'fire-timers',
    part: 'work',
    restMs: { min: 50, max: 1000, quietMax: REST_WHILE_LOOKED_MS },
    wakeOn: onTopicsAndSight(context, [TIMERS_TOPIC], 'timers'),
    async run() {
      const isSeen = lookout.take('timers');
      const isMine = await timersDuty.isMine();
      if (!isMine && !isSeen && now() < nextLook)
        return { ...NOTHING, restMsMax: nextLook - now() };
      const dueInMs = await store.timers.nextDueInMs();
      if (dueInMs !== null && dueInMs <= 0) return scheduling.fireTimers({ limit: ROUND_MAX });
      const untilDueMs = dueInMs ?? Infinity;
      nextLook = now() + Math.min(STANDBY_MS, untilDueMs + GRACE_MS);
      return { ...NOTHING, restMsMax: isMine ? untilDueMs : nextLook - now() };
    },
  };
}

const ROUND_MAX = 200;
const STANDBY_MS = 60_000;
const GRACE_MS = 2000;
