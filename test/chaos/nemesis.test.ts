import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

import test from 'ava';

import { createDice } from '../simulation/dice.ts';
import { eventually } from '../support/eventually.ts';
import type { ChaosCluster } from './cluster/cluster.ts';
import type { Fault } from './faults/fault.ts';
import { startNemesis } from './nemesis.ts';

const blow = { lastsMs: 0, heal: async () => {} };

const CALM_MS = 50;
const NAMES = ['one', 'two', 'three'];

test('faults without a target keep no others from striking, and strike once they have one', async (t) => {
  let hasTarget = false;
  const late: Fault = {
    name: 'late',
    share: 2,
    fire: async () => (hasTarget ? { ...blow, target: 'late' } : null),
  };
  const others = NAMES.map((name): Fault => ({
    name,
    fire: async () => ({ ...blow, target: name }),
  }));
  const nemesis = startNemesis({
    faults: [late, ...others],
    cluster: {} as ChaosCluster,
    dice: createDice('nemesis'),
    now: () => 0,
    gapMs: [0, 1],
  });
  const timesOf = (name: string) => nemesis.strikes.filter(({ fault }) => fault === name).length;
  await eventually(() => assert(NAMES.every((name) => timesOf(name) >= 3)));
  t.is(timesOf('late'), 0);
  hasTarget = true;
  await eventually(() => assert(timesOf('late') >= 2));
  await nemesis.stop();
  t.deepEqual(nemesis.troubles, []);
});

test('all faults strike before any strikes again', async (t) => {
  const nemesis = startNemesis({
    faults: NAMES.map((name) => ({ name, fire: async () => ({ ...blow, target: name }) })),
    cluster: {} as ChaosCluster,
    dice: createDice('nemesis'),
    now: () => 0,
    gapMs: [0, 1],
  });
  await eventually(() => assert(nemesis.strikes.length >= 6));
  await nemesis.stop();
  for (const from of [0, 3]) {
    const dealt = nemesis.strikes.slice(from, from + 3).map(({ fault }) => fault);
    t.deepEqual(dealt.toSorted(), NAMES.toSorted());
  }
});

test('a target stays calm for as long as its last fault says', async (t) => {
  const calm = Promise.withResolvers<void>();
  const fired: string[] = [];
  const fault: Fault = {
    name: 'calm',
    fire: async ({ isStruck }) => {
      fired.push(isStruck('target') ? 'calm' : 'struck');
      return isStruck('target') ? null : { ...blow, target: 'target', calmMs: CALM_MS };
    },
  };
  const nemesis = startNemesis({
    faults: [fault],
    cluster: {} as ChaosCluster,
    dice: createDice('calm'),
    now: () => 0,
    gapMs: [0, 1],
    wait: (ms) => (ms === CALM_MS ? calm.promise : setImmediate()),
  });
  await eventually(() => assert(fired.length >= 4));
  t.deepEqual(fired.slice(0, 4), ['struck', 'calm', 'calm', 'calm']);
  calm.resolve();
  await eventually(() => assert(fired.lastIndexOf('struck') > 0));
  await nemesis.stop();
});

test('a run ends once its targets are calm', async (t) => {
  const calm = Promise.withResolvers<void>();
  const nemesis = startNemesis({
    faults: [{ name: 'calm', fire: async () => ({ ...blow, target: 'target', calmMs: CALM_MS }) }],
    cluster: {} as ChaosCluster,
    dice: createDice('calm'),
    now: () => 0,
    gapMs: [0, 1],
    wait: (ms) => (ms === CALM_MS ? calm.promise : setImmediate()),
  });
  await eventually(() => assert(nemesis.strikes.length >= 1));
  const order: string[] = [];
  const stopped = nemesis.stop().then(() => order.push('stopped'));
  await setImmediate();
  order.push('calm');
  calm.resolve();
  await stopped;
  t.deepEqual(order, ['calm', 'stopped']);
});
