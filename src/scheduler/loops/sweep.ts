import { SHARD_COUNT } from '../../shared/store/store.ts';
import type { HeldShards } from './loop-context.ts';

/**
 * The shards of a round: its own, and every `SWEEP_MS` all of them.
 *
 * A frozen process, or one whose connection hangs, keeps its locks. Nobody else can take its
 * shards, but every process may work on them, because commits are conditional. The sweep replaces
 * an ordinary round, so it costs no extra statement. A round for what a look around has seen is about
 * our own shards first: only what they have shows that hints are lost. If the look sees something
 * again, it may be elsewhere.
 */
export function createSweep(params: {
  readonly shards: HeldShards;
  readonly now: () => number;
}): (round: { readonly isSeen: boolean }) => {
  readonly shards: readonly number[];
  readonly ours: boolean;
} {
  let lastSweep = params.now();
  let wasSeen = false;
  return ({ isSeen }) => {
    const isOwnFirst = isSeen && !wasSeen;
    wasSeen = isSeen;
    if (isOwnFirst || params.now() - lastSweep < SWEEP_MS)
      return { shards: params.shards.current, ours: true };
    lastSweep = params.now();
    return { shards: EVERY_SHARD, ours: false };
  };
}

export const EVERY_SHARD: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, n) => n);

const SWEEP_MS = 20_000;
