import { standingBy } from '../duty.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/** A loop whose work is done by the clock, by one process for the whole cluster. */
export function dutyLoop(
  { pruneDuty, now }: LoopContext,
  loop: Pick<LoopDefinition, 'name' | 'restMs' | 'run'> & {
    /** How long the process on duty may be frozen before the others do a round of their own. */
    readonly standbyMs: number;
  },
): LoopDefinition {
  const { name, restMs, standbyMs, run } = loop;
  return {
    name,
    part: 'work',
    restMs,
    run: standingBy({ duty: pruneDuty, everyMs: standbyMs, now, run }),
  };
}
