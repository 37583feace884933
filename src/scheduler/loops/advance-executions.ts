import { NOTHING } from '../loop.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';
import { REST_WHILE_LOOKED_MS } from './look-around.ts';
import { createSweep, EVERY_SHARD } from './sweep.ts';

/** Finds runnable executions of our shards and has them decided. */
export function advanceExecutions(context: LoopContext): LoopDefinition {
  const { scheduling, shards, activity, settings, lookout } = context;
  const sweep = createSweep(context);
  return {
    name: 'advance-executions',
    part: 'work',
    restMs: { min: 50, max: 1000, quietMax: REST_WHILE_LOOKED_MS },
    wakeOn(wake) {
      const ends = EVERY_SHARD.map((shard) =>
        context.wake.subscribe(`run:${shard}`, () => {
          if (shards.current.includes(shard)) wake();
        }),
      );
      ends.push(lookout.subscribe('executions', wake));
      return () => ends.forEach((end) => end());
    },
    async run({ woken }) {
      const isSeen = lookout.take('executions');
      const target = sweep({ isSeen });
      if (target.shards.length === 0) return NOTHING;
      const wasQuiet = activity.isQuiet();
      const result = await scheduling.advanceRunnable({
        shards: target.shards,
        limit: ROUND_MAX,
      });
      if (scheduling.underWay() >= settings.underWayMax) return { ...result, ...FULL_REST };
      if (result.found > 0 && wasQuiet && (isSeen || !woken) && target.ours) activity.hintMissed();
      return result;
    },
  };
}

const ROUND_MAX = 200;
/** Until something under way has ended, or has heard of something new. */
const FULL_REST = { restMsMin: 20, restMsMax: 100 };
