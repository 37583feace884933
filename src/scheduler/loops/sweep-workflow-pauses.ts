import { PAUSES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Holds executions of paused workflows, and releases them after a resume; one batch of each per
 * round.
 *
 * The hint `pauses` announces changes, so polling only covers lost hints, and is rare while no
 * workflow is paused. One process does it, on the duty of `fire-timers`. After a hint the others
 * check now and then whether that process still holds the duty. If it died, one of them takes the
 * duty and continues; if it is frozen, they do the work without the duty.
 */
export function sweepWorkflowPauses(context: LoopContext): LoopDefinition {
  const { scheduling, timersDuty, now } = context;
  let hintedAt = -Infinity;
  let lastRound = now();
  let goesOn = false;
  return {
    name: 'sweep-workflow-pauses',
    part: 'work',
    restMs: { min: 1_000, max: 20_000, quietMax: 120_000 },
    wakeOn: onTopics(context.wake, [PAUSES_TOPIC]),
    async run({ signal, woken }) {
      if (woken) hintedAt = now();
      const isMine = await timersDuty.isMine();
      if (!isMine && !goesOn && now() - lastRound < STANDBY_MS) {
        return now() - hintedAt < ALERT_MS ? { ...NOTHING, restMsMax: ALERT_LOOK_MS } : NOTHING;
      }
      lastRound = now();
      const { isPaused, ...round } = await scheduling.sweepWorkflowPauses({ signal });
      goesOn = round.more;
      return { ...round, ...(isPaused && { restMsMax: PAUSED_LOOK_MS }) };
    },
  };
}

const PAUSED_LOOK_MS = 15_000;
const ALERT_LOOK_MS = 10_000;
/** How long the work that a hint announced may take. */
const ALERT_MS = 600_000;
/** As long as a frozen process on duty may go unnoticed. */
const STANDBY_MS = 60_000;
