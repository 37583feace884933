import { PLACES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Lets children begin that wait for a place of their tenant's limit.
 *
 * The hint `places` tells of the first that waits and, by the processes that know of it, of every place
 * that comes free. While children wait, the process on the duty of `fire-timers` looks often as well:
 * other processes end executions without a hint. Otherwise looking is for lost hints only.
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
