import type { StartsHere } from '../advance/starts-here.ts';
import type { EngineDeps } from '../deps.ts';
import { giveBackItem } from './give-back-item.ts';
import type { Room } from './room.ts';
import type { RunnerPool } from './runner-pool.ts';

/** See `starts-here.ts`: lets this process begin the executions that are started in it. */
export function createLocalStarts(
  deps: EngineDeps,
  { pool, room }: { readonly pool: RunnerPool; readonly room: Room },
): StartsHere & {
  /** From now on it begins those of these shards. */
  take(shards: readonly number[]): void;
} {
  let taken: ReadonlySet<number> = new Set();
  return {
    take(shards) {
      taken = new Set(shards);
    },
    leaseTo(shard) {
      if (pool.isDraining || !taken.has(shard)) return null;
      return room.takesItems(pool.size) ? deps.settings : null;
    },
    noteLostAnswer: (executionId) => pool.noteLostAnswer(executionId),
    begin(held, { isMarked, items }) {
      if (pool.isDraining) for (const item of items) void giveBackItem(deps, item);
      else pool.advance(held.row.executionId, { isMarked, items, current: held });
    },
  };
}
