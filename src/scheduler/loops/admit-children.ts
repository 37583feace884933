import { PLACES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Starts children that wait for a place below their tenant's limit.
 *
 * The hint `places` announces the first waiting child and, from processes that know of waiting
 * children, every free place. While children wait, the process on the duty of `fire-timers` also
 * polls often, because other processes end executions without a hint. Otherwise polling only covers
 * lost hints.
 */
export function admitChildren(context: LoopContext): LoopDefinition {
  const { scheduling, timersDuty, now } = context;
  let lastRound = now();
  return {
    name: 'admit-children',
    part: 'work',
    restMs: { min: 20, max: 5_000, quietMax: 60_000 },
    wakeOn: onTopics(context.wake, [PLACES_TOPIC]),
    async run() {
      const isMine = await timersDuty.isMine();
      if (!isMine && now() - lastRound < STANDBY_MS) {
        return { ...NOTHING, restMsMax: STANDBY_MS };
      }
      lastRound = now();
      const { isWaiting, ...round } = await scheduling.admitChildren();
      return { ...round, ...(isWaiting && { restMsMax: WAITING_LOOK_MS }) };
    },
  };
}

const WAITING_LOOK_MS = 250;
/** As long as a process on duty may be frozen before the others look. */
const STANDBY_MS = 10_000;
