import { SCHEDULERS_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { SHARD_COUNT } from '../../shared/store/store.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Holds this process's fair share of the shards: takes free ones, gives back what is too much.
 *
 * The share comes from the schedulers whose sessions last, ours included. When taking fails, the
 * shards known last are worked on: locks only spare work, and working a shard twice does less harm
 * than not at all.
 */
export function holdShards(context: LoopContext): LoopDefinition {
  const { store, shards, activity, scheduling, settings } = context;
  let joined = false;
  return {
    name: 'hold-shards',
    part: 'presence',
    restMs: { min: 1000, max: 5_000, quietMax: 15_000 },
    wakeOn: onTopics(context.wake, [SCHEDULERS_TOPIC]),
    async run() {
      const live = await store.shards.countSchedulers();
      if (!joined) {
        joined = true;
        context.wake.notify([SCHEDULERS_TOPIC]);
      }
      const held = await store.shards.balance({ target: fairShare(live) });
      const changed = !isSame(held, shards.current);
      shards.current = held;
      scheduling.takeStarts({ shards: held, underWayMax: settings.underWayMax });
      if (!changed) return NOTHING;
      // Executions of a newly acquired shard may have waited: look at them now.
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

function isSame(one: readonly number[], other: readonly number[]): boolean {
  const known = new Set(other);
  return one.length === known.size && one.every((shard) => known.has(shard));
}
