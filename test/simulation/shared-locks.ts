import { SHARD_COUNT, type ShardLocks } from '../../src/shared/store/store.ts';
import type { Process } from './process.ts';
import type { StoreLine } from './store-line.ts';

/**
 * Session locks as a database has them: a process that dies loses them immediately, a paused one
 * keeps them. The locks only save work, so correctness doesn't depend on them.
 */
export interface SharedLocks {
  of(process: Process, line: StoreLine): ShardLocks;
}

export function createSharedLocks(): SharedLocks {
  const schedulers = new Set<Process>();
  const shards = new Map<number, Process>();
  const duties = new Map<string, Process>();

  const isFree = (holder: Process | undefined, process: Process): boolean =>
    holder === undefined || holder === process || !holder.isAlive();

  function balance(process: Process, target: number): number[] {
    const held = ALL_SHARDS.filter((shard) => shards.get(shard) === process);
    for (const shard of held.splice(target)) shards.delete(shard);
    for (const shard of ALL_SHARDS) {
      if (held.length >= target) break;
      if (shards.get(shard) === process || !isFree(shards.get(shard), process)) continue;
      shards.set(shard, process);
      held.push(shard);
    }
    return held;
  }

  function tryDuty(process: Process, duty: string): boolean {
    if (!isFree(duties.get(duty), process)) return false;
    duties.set(duty, process);
    return true;
  }

  return {
    of: (process, line) => ({
      countSchedulers: () =>
        line.call('shards.count', async () => {
          schedulers.add(process);
          return [...schedulers].filter((scheduler) => scheduler.isAlive()).length;
        }),
      balance: ({ target }) => line.call('shards.balance', async () => balance(process, target)),
      tryDuty: (duty) => line.call('shards.tryDuty', async () => tryDuty(process, duty)),
      releaseAll: () => line.call('shards.releaseAll', async () => void balance(process, 0)),
    }),
  };
}

const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
