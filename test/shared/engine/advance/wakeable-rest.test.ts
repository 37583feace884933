import test from 'ava';

import { WakeableRest } from '../../../../src/shared/engine/advance/wakeable-rest.ts';
import { createVirtualTimers } from '../../../scheduler/virtual-timers.ts';

test('a rest without a limit lasts until it is woken', async (t) => {
  const timers = createVirtualTimers();
  const rest = new WakeableRest(timers);
  let isOver = false;
  const resting = rest.wait(null).then(() => (isOver = true));
  await timers.advance(60_000);
  t.false(isOver);
  rest.wake();
  await resting;
  t.true(isOver);
});

test('a rest with a limit ends at the limit', async (t) => {
  const timers = createVirtualTimers();
  const rest = new WakeableRest(timers);
  let isOver = false;
  const resting = rest.wait(100).then(() => (isOver = true));
  await timers.advance(99);
  t.false(isOver);
  await timers.advance(1);
  await resting;
  t.true(isOver);
});

test('a call outside a rest, or the limit of an earlier one, ends no later rest', async (t) => {
  const timers = createVirtualTimers();
  const rest = new WakeableRest(timers);
  rest.wake();
  const first = rest.wait(100);
  rest.wake();
  await first;
  let isOver = false;
  const second = rest.wait(null).then(() => (isOver = true));
  await timers.advance(100);
  t.false(isOver);
  rest.wake();
  await second;
});
