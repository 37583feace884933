import { SERVER } from '../chaos/faults/fault.ts';
import type { FailoverFault } from './failover-fault.ts';
import { RECOVERY_MS_MAX } from './recovery-limit.ts';
import { lacksSlowDisk, SlowDisk } from './slow-disk.ts';

/** The name of the fault, by which the checks find its strikes. */
export const DISK_SLOW = 'disk-slow';

const DELAY_MS = [100, 500] as const;
const LASTS_MS = [8_000, 15_000] as const;

export interface SlowTarget {
  readonly name: string;
  /** All processes of its PostgreSQL. */
  readonly pids: readonly number[];
}

/** Each write of the primary takes as long as the seed says, and succeeds. */
export function diskSlow(findPrimary: () => Promise<SlowTarget>): FailoverFault {
  return {
    name: DISK_SLOW,
    lacks: lacksSlowDisk,
    fire: async ({ dice, isStruck }) => {
      if (isStruck(SERVER)) return null;
      const { name, pids } = await findPrimary();
      const delayMs = dice.between(...DELAY_MS);
      const disk = await SlowDisk.begin(pids, delayMs);
      return {
        target: SERVER,
        lastsMs: dice.between(...LASTS_MS),
        calmMs: RECOVERY_MS_MAX,
        heal: async () => {
          const { delayed } = await disk.end();
          if (delayed === 0) throw new Error(`no write of ${name} was slow`);
          return `${name}, ${delayed} writes took ${delayMs} ms more`;
        },
      };
    },
  };
}
