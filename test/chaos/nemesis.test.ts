import assert from 'node:assert/strict';

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
  let calmUntil = 0;
  let firedEarly = 0;
  const calm: Fault = {
    name: 'calm',
    fire: async ({ isStruck }) => {
      if (isStruck('target')) return null;
      if (performance.now() < calmUntil) firedEarly += 1;
      const heal = async () => void (calmUntil = performance.now() + CALM_MS);
      return { target: 'target', lastsMs: 0, calmMs: CALM_MS, heal };
    },
  };
  const nemesis = startNemesis({
    faults: [calm],
    cluster: {} as ChaosCluster,
    dice: createDice('calm'),
    now: () => 0,
    gapMs: [0, 1],
  });
  await eventually(() => assert(nemesis.strikes.length >= 3));
  await nemesis.stop();
  t.is(firedEarly, 0);
  t.true(performance.now() >= calmUntil);
});
