import type { StartsHere } from '../advance/starts-here.ts';
import type { EngineDeps } from '../deps.ts';
import type { EngineQueue } from './engine-queue.ts';
import { giveBackItem } from './give-back-item.ts';
import type { RunnerPool } from './runner-pool.ts';

/** See `starts-here.ts`: lets this process begin the executions that are started in it. */
export function createLocalStarts(
  deps: EngineDeps,
  { pool, queue }: { readonly pool: RunnerPool; readonly queue: EngineQueue },
): StartsHere & {
  take(of: { readonly shards: readonly number[]; readonly underWayMax: number }): void;
} {
  let taken = { shards: new Set<number>(), underWayMax: 0 };
  return {
    take({ shards, underWayMax }) {
      taken = { shards: new Set(shards), underWayMax };
    },
    leaseTo(shard) {
      if (pool.isDraining || !taken.shards.has(shard)) return null;
      if (queue.mayHoldItems || pool.size >= taken.underWayMax) {
        queue.noteItem();
        return null;
      }
      return deps.settings;
    },
    noteLostAnswer: (executionId) => pool.noteLostAnswer(executionId),
    begin(held, { isMarked, items }) {
      if (pool.isDraining) for (const item of items) void giveBackItem(deps, item);
      else pool.advance(held.row.executionId, { isMarked, items, current: held });
    },
  };
}
