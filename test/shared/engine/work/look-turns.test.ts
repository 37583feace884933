import test from 'ava';

import { createLookTurns } from '../../../../src/shared/engine/work/look-turns.ts';

const KEY = 'queue:a';

/** A clock that the test turns, and the time of the next look. */
function open() {
  let time = 0;
  let lookAt = 500;
  const due = new Map<() => void, number>();
  const turns = createLookTurns({
    timers: {
      now: () => time,
      after(ms, action) {
        const run = () => {
          due.delete(run);
          action();
        };
        due.set(run, time + ms);
        return () => void due.delete(run);
      },
    },
    claimPace: { untilLookMs: () => Math.max(0, lookAt - time) },
  });
  const pass = (ms: number) => {
    time += ms;
    for (const [run, at] of due) if (at <= time) run();
  };
  const heard: string[] = [];
  const wait = (name: string) => turns.wait(KEY, () => void heard.push(name));
  return { wait, pass, heard, due, lookIn: (ms: number) => void (lookAt = time + ms) };
}

test('when the time has come, the claim that has waited longest looks, and no other', (t) => {
  const { wait, pass, heard, due } = open();
  for (const name of ['a', 'b', 'c']) wait(name);
  t.is(due.size, 1);
  pass(499);
  t.deepEqual(heard, []);
  pass(1);
  t.deepEqual(heard, ['a']);
});

test('a look of another claim puts the next turn off', (t) => {
  const { wait, pass, heard, lookIn } = open();
  wait('a');
  pass(400);
  lookIn(1_000);
  pass(999);
  t.deepEqual(heard, []);
  pass(1);
  t.deepEqual(heard, ['a']);
});

test('a faster pace is kept from the next claim on', (t) => {
  const { wait, pass, heard, due, lookIn } = open();
  lookIn(10_000);
  wait('a');
  lookIn(200);
  wait('b');
  t.is(due.size, 1);
  pass(200);
  t.deepEqual(heard, ['a']);
});

test('a claim that leaves passes its turn on', (t) => {
  const { wait, pass, heard } = open();
  const leave = wait('a');
  wait('b');
  leave();
  pass(500);
  t.deepEqual(heard, ['b']);
});

test('a claim that gets its turn and does not look holds up the others for a moment only', (t) => {
  const { wait, pass, heard } = open();
  wait('a');
  wait('b');
  pass(500);
  pass(100);
  t.deepEqual(heard, ['a', 'b']);
});

test('no timer is left when the last claim leaves', (t) => {
  const { wait, due } = open();
  const leave = [wait('a'), wait('b')];
  for (const each of leave) each();
  t.is(due.size, 0);
});
