import { createActivity } from '../../src/scheduler/activity.ts';
import { type Loop, startLoop } from '../../src/scheduler/loop.ts';
import { fairShare, holdShards } from '../../src/scheduler/loops/hold-shards.ts';
import type { HeldShards, LoopContext } from '../../src/scheduler/loops/loop-context.ts';
import { createWakeBus } from '../../src/shared/engine/wake/wake-bus.ts';
import { SHARD_COUNT } from '../../src/shared/store/store.ts';
import { seeded } from '../../test/support/vectors.ts';
import { createVirtualTimers } from '../../test/scheduler/virtual-timers.ts';
import type { Experiment, Row } from './experiment.ts';

const SCHEDULERS = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256];
const STEP_MS = 100;
const SETTLE_MS_MAX = 120_000;

/**
 * How schedulers distribute shards, and how long that takes when one joins or is killed. It runs
 * the product's own loop under a manual clock, with locks that are a map.
 */
export const shards: Experiment = {
  name: 'shards',
  what: `${SHARD_COUNT} shards shared out by the loop hold-shards, in virtual time`,
  run: async ({ progress }) => {
    const rows: Row[] = [];
    for (const count of SCHEDULERS) {
      progress(`${count} schedulers`);
      rows.push(await simulate(count));
    }
    return rows;
  },
};

async function simulate(count: number): Promise<Row> {
  const cluster = createCluster(count);
  for (let one = 0; one < count; one += 1) {
    cluster.add();
    await cluster.pass(0);
  }
  const sharedAfter = await cluster.until(cluster.isFair);
  const held = cluster.holdings().toSorted((left, right) => left - right);
  await cluster.pass(30_000);
  const askedBefore = cluster.asked();
  await cluster.pass(60_000);
  const perSecond = (cluster.asked() - askedBefore) / 60;
  cluster.crash();
  const after = count === 1 ? null : await cluster.until(cluster.isAllHeld);
  const newcomer = cluster.add();
  const share = Math.min(fairShare(count), Math.floor(SHARD_COUNT / count));
  const joined = await cluster.until(() => cluster.heldBy(newcomer) >= Math.min(1, share));
  return {
    schedulers: count,
    'least held': held[0] ?? 0,
    'most held': held.at(-1) ?? 0,
    'hold none': held.filter((shardsHeld) => shardsHeld === 0).length,
    'shared out after s': sharedAfter / 1_000,
    'all held again after a kill, s': after === null ? '–' : after / 1_000,
    'a newcomer has a shard after s': share === 0 ? '–' : joined / 1_000,
    'statements /s in all': Number(perSecond.toFixed(1)),
  };
}

function createCluster(seed: number) {
  const timers = createVirtualTimers();
  const random = seeded(seed);
  const locks = new Map<number, number>();
  const members = new Map<number, { readonly loop: Loop; readonly held: HeldShards }>();
  const buses = new Map<number, ReturnType<typeof createWakeBus>>();
  let added = 0;
  let asked = 0;

  const shardsOf = (id: number): number[] =>
    [...locks].filter(([, by]) => by === id).map(([shard]) => shard);

  function balance(id: number, target: number): readonly number[] {
    asked += 1;
    for (const shard of shardsOf(id).slice(target)) locks.delete(shard);
    const free = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)
      .filter((shard) => !locks.has(shard))
      .map((shard) => ({ shard, order: random() }))
      .toSorted((left, right) => left.order - right.order);
    const missing = Math.max(0, target - shardsOf(id).length);
    for (const { shard } of free.slice(0, missing)) locks.set(shard, id);
    return shardsOf(id);
  }

  function add(): number {
    const id = (added += 1);
    const held: HeldShards = { current: [] };
    const bus = createWakeBus();
    bus.forwardTo((topics) => {
      for (const [other, remote] of buses) if (other !== id) remote.deliver(topics);
    });
    buses.set(id, bus);
    const activity = createActivity(() => timers.now());
    const store = {
      shards: {
        countSchedulers: async () => {
          asked += 1;
          return members.size;
        },
        balance: async ({ target }: { readonly target: number }) => balance(id, target),
      },
    };
    // The loop uses only these members of the context.
    const context = { store, shards: held, activity, wake: bus } as unknown as LoopContext;
    const busy = { isQuiet: () => false };
    const loop = startLoop({ ...holdShards(context), ...busy, timers, random });
    members.set(id, { loop, held });
    return id;
  }

  return {
    add,
    /** Kills a member: its session and locks are gone, and the others get no message. */
    crash(): void {
      const [id] = [...members.keys()].filter((one) => shardsOf(one).length > 0);
      if (id === undefined) return;
      void members.get(id)?.loop.stop();
      members.delete(id);
      buses.delete(id);
      for (const shard of shardsOf(id)) locks.delete(shard);
    },
    pass: (ms: number) => timers.advance(ms),
    /** Virtual milliseconds until the condition holds. */
    async until(isSo: () => boolean): Promise<number> {
      const began = timers.now();
      while (!isSo()) {
        if (timers.now() - began > SETTLE_MS_MAX) throw new Error('the shards never settle');
        await timers.advance(STEP_MS);
      }
      return timers.now() - began;
    },
    isFair: () =>
      locks.size === SHARD_COUNT &&
      [...members.keys()].every((id) => shardsOf(id).length <= fairShare(members.size)),
    isAllHeld: () => locks.size === SHARD_COUNT,
    holdings: () => [...members.keys()].map((id) => shardsOf(id).length),
    heldBy: (id: number) => shardsOf(id).length,
    asked: () => asked,
  };
}
