import { PAUSES_TOPIC } from '../../shared/engine/wake-bus.ts';
import { standingBy } from '../duty.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Holds executions of workflows that are paused, and gives them back; a batch of each a round.
 *
 * The hint `pauses` tells of what is new, so looking is for lost hints only, and for a process that died
 * over its work: seldom, as long as no workflow is paused.
 */
export function sweepWorkflowPauses(context: LoopContext): LoopDefinition {
  return {
    name: 'sweep-workflow-pauses',
    part: 'work',
    restMs: { min: 1_000, max: 20_000, quietMax: 120_000 },
    wakeOn: onTopics(context.wake, [PAUSES_TOPIC]),
    run: standingBy({
      duty: context.timersDuty,
      everyMs: STANDBY_MS,
      now: context.now,
      run: async ({ signal }) => {
        const { isPaused, ...round } = await context.scheduling.sweepWorkflowPauses({ signal });
        return { ...round, ...(isPaused && { restMsMax: PAUSED_LOOK_MS }) };
      },
    }),
  };
}

const PAUSED_LOOK_MS = 15_000;
/** As long as a frozen process on duty may go unnoticed. */
const STANDBY_MS = 60_000;
