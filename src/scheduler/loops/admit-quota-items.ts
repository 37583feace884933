import { QUOTAS_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Moves items to the queue of their workers that wait for a place or a token of a quota. As with the
 * places of children (`admit-children.ts`), hints announce what waits and what came free, and polling
 * covers lost hints. Nobody announces a token: the loop rests until the next one.
 */
export function admitQuotaItems(context: LoopContext): LoopDefinition {
  const { scheduling, timersDuty, now } = context;
  let lastRound = now();
  return {
    name: 'admit-quota-items',
    part: 'work',
    restMs: { min: 5, max: 5_000, quietMax: 60_000 },
    wakeOn: onTopics(context.wake, [QUOTAS_TOPIC]),
    async run() {
      const isMine = await timersDuty.isMine();
      if (!isMine && now() - lastRound < STANDBY_MS) {
        return { ...NOTHING, restMsMax: STANDBY_MS };
      }
      lastRound = now();
      const { lookInMs, ...round } = await scheduling.admitQuotaItems();
      return { ...round, ...(lookInMs !== null && { restMs: Math.min(lookInMs, LOOK_MS_MAX) }) };
    },
  };
}

/** A hint may be lost while the only known call waits for a token of a long rate. */
const LOOK_MS_MAX = 5_000;
/** As long as a process on duty may be frozen before the others look. */
const STANDBY_MS = 10_000;
