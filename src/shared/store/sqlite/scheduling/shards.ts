import { SHARD_COUNT, type ShardLocks } from '../../scheduling.ts';

/** One process tree works the file, so every shard and every duty is its own. */
export function createShardLocks(): ShardLocks {
  const all = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  return {
    countSchedulers: async () => 1,
    balance: async () => all,
    tryDuty: async () => true,
    releaseAll: async () => undefined,
  };
}
