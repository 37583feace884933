import { SCHEDULERS_TOPIC } from '../../shared/engine/wake-bus.ts';
import { SHARD_COUNT } from '../../shared/store/store.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Holds this process's fair share of the shards: takes free ones, gives back what is too much.
 *
 * The share comes from the schedulers that announced themselves lately. It waits for our own
 * announcement, as a process that does not count itself would take the others' shares. When taking
 * fails, the shards known last are worked on: locks only spare work, and working a shard twice does
 * less harm than not at all.
 */
export function holdShards(context: LoopContext & { isAnnounced(): boolean }): LoopDefinition {
  const { store, shards, activity } = context;
  return {
    name: 'hold-shards',
    part: 'presence',
    restMs: { min: 1000, max: 15_000, quietMax: 20_000 },
    wakeOn: onTopics(context.wake, [SCHEDULERS_TOPIC]),
    async run() {
      if (!context.isAnnounced()) return NOTHING;
      const live = await store.workers.countSchedulers({ withinMs: LIVE_WITHIN_MS });
      const held = await store.shards.balance({ target: fairShare(live) });
      const changed = !isSame(held, shards.current);
      shards.current = held;
      if (!changed) return NOTHING;
      // What became ours may have been waiting: have it looked at now.
      activity.touch();
      context.wake.notify(held.map((shard) => `run:${shard}`));
      return { found: 1, more: false };
    },
  };
}

/** Rounded up, so that the shares together cover every shard. */
export function fairShare(liveSchedulers: number): number {
  return Math.ceil(SHARD_COUNT / Math.max(1, liveSchedulers));
}

/** Two announcements may be missed. */
const LIVE_WITHIN_MS = 45_000;

function isSame(one: readonly number[], other: readonly number[]): boolean {
  const known = new Set(other);
  return one.length === known.size && one.every((shard) => known.has(shard));
}
