import { SHARD_COUNT } from '../../shared/store/store.ts';
import type { HeldShards } from './loop-context.ts';

/**
 * Which shards a round looks at: our own, and every `SWEEP_MS` all of them.
 *
 * A frozen process keeps its locks, and so do those whose connection hangs; nobody else may take
 * its shards, but everybody may work them, as commits are conditional. The sweep takes the place of
 * an ordinary round, so it costs no statement of its own.
 */
export function createSweep(params: {
  readonly shards: HeldShards;
  readonly now: () => number;
}): () => { readonly shards: readonly number[]; readonly ours: boolean } {
  let lastSweep = params.now();
  return () => {
    if (params.now() - lastSweep < SWEEP_MS) return { shards: params.shards.current, ours: true };
    lastSweep = params.now();
    return { shards: EVERY_SHARD, ours: false };
  };
}

export const EVERY_SHARD: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, n) => n);

const SWEEP_MS = 20_000;
