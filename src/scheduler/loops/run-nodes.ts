import { NOTHING } from '../loop.ts';
import { REST_WHILE_LOOKED_MS } from './look-around.ts';
import { onTopicsAndSight } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';
import { createSweep } from './sweep.ts';

/**
 * Claims queued items of in-engine nodes: of executions that another process has started, or that
 * were started without room here, retries, and items handed over by a process that stopped. The usual
 * item never gets here, as it is born leased to the process that scheduled it.
 */
export function runNodes(context: LoopContext): LoopDefinition {
  const { scheduling, activity, settings, lookout } = context;
  const sweep = createSweep(context);
  return {
    name: 'run-nodes',
    part: 'work',
    restMs: { min: 50, max: 1000, quietMax: REST_WHILE_LOOKED_MS },
    wakeOn: onTopicsAndSight(context, ['queue:engine'], 'engineItems'),
    async run({ woken }) {
      const isSeen = lookout.take('engineItems');
      const room = settings.underWayMax - scheduling.underWay();
      if (room <= 0) return { ...NOTHING, restMsMax: FULL_REST_MS };
      const target = sweep({ isSeen });
      if (target.shards.length === 0) return NOTHING;
      const wasQuiet = activity.isQuiet();
      const result = await scheduling.runQueuedNodes({
        shards: target.shards,
        limit: Math.min(ROUND_MAX, room),
      });
      if (result.found > 0 && wasQuiet && (isSeen || !woken) && target.ours) activity.hintMissed();
      return result;
    },
  };
}

const ROUND_MAX = 200;
/** Until something under way has ended; asking the process itself costs nothing. */
const FULL_REST_MS = 20;
