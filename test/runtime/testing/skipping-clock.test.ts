import test from 'ava';

import type { Timers } from '../../../src/shared/engine/scheduling/timers.ts';
import { createSkippingClock } from '../../../src/runtime/testing/skipping-clock.ts';

/* The system's timers are a list here that the test fires. */

test('time is the system’s and what was skipped', (t) => {
  const system = createSystem();
  const clock = createSkippingClock({ startAt: 1_000_000, system });
  t.is(clock.now(), 1_000_000);
  system.pass(5);
  clock.skip(100);
  t.is(clock.now(), 1_000_105);
  t.is(clock.timers.now(), 105);
});

test('timers that are due after a skip fire in their order, the others keep their time', (t) => {
  const system = createSystem();
  const clock = createSkippingClock({ startAt: 0, system });
  const { timers } = clock;
  const fired: string[] = [];
  timers.after(300, () => fired.push('late'));
  timers.after(200, () => fired.push('second'));
  timers.after(100, () => fired.push('first'));
  const cancel = timers.after(150, () => fired.push('cancelled'));
  cancel();
  clock.skip(250);
  t.deepEqual(fired, []);
  system.pass(0);
  t.deepEqual(fired, ['first', 'second']);
  system.pass(49);
  t.deepEqual(fired, ['first', 'second']);
  system.pass(1);
  t.deepEqual(fired, ['first', 'second', 'late']);
});

function createSystem(): Timers & { pass(ms: number): void } {
  let now = 0;
  let pending: { readonly at: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    after(ms, action) {
      const one = { at: now + ms, action };
      pending.push(one);
      return () => {
        pending = pending.filter((other) => other !== one);
      };
    },
    pass(ms) {
      now += ms;
      const due = pending.filter(({ at }) => at <= now);
      pending = pending.filter(({ at }) => at > now);
      for (const { action } of due) action();
    },
  };
}
