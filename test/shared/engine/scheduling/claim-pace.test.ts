import test from 'ava';

import {
  createClaimPace,
  type LookReason,
} from '../../../../src/shared/engine/scheduling/claim-pace.ts';

const QUEUE = 'queue:default/python_tool';

function openPace() {
  let time = 0;
  const pace = createClaimPace(() => time);
  const look = (found: boolean, reason: LookReason) => {
    pace.looking(QUEUE);
    pace.looked(QUEUE, { found, reason });
  };
  return {
    pace,
    look,
    pass: (ms: number) => (time += ms),
    /** Polls for this time, and returns the number of looks. */
    poll: (forMs: number): number => {
      const end = time + forMs;
      let looks = 0;
      for (; time + pace.untilLookMs(QUEUE) <= end; looks += 1) {
        time += pace.untilLookMs(QUEUE);
        look(false, 'poll');
      }
      time = end;
      return looks;
    },
  };
}

test('rests double while nothing is found, and a find or a hint starts over', (t) => {
  const { pace, look } = openPace();
  look(false, 'arrival');
  t.is(pace.untilLookMs(QUEUE), 200);
  look(false, 'poll');
  t.is(pace.untilLookMs(QUEUE), 400);
  look(true, 'arrival');
  t.is(pace.untilLookMs(QUEUE), 100);
  look(false, 'poll');
  look(false, 'hint');
  t.is(pace.untilLookMs(QUEUE), 100);
});

test('in a quiet time there is a look every ten seconds, however many wait', (t) => {
  const { poll } = openPace();
  poll(60_000);
  const looks = poll(600_000);
  t.true(looks >= 58 && looks <= 62, `${looks}`);
});

test('a caller that comes while others wait looks once, and puts off the look of all', (t) => {
  const { pace, look, poll, pass } = openPace();
  poll(60_000);
  look(false, 'arrival');
  pass(9_000);
  t.is(pace.untilLookMs(QUEUE), 1_000);
});

test('a find of a poll in a quiet time without a hint keeps polls at their usual pace', (t) => {
  const { look, poll } = openPace();
  poll(60_000);
  look(true, 'poll');
  const looks = poll(60_000);
  t.true(looks >= 30, `${looks}`);
});

test('a find on arrival in a quiet time says nothing about hints', (t) => {
  const { look, poll } = openPace();
  poll(60_000);
  look(true, 'arrival');
  poll(60_000);
  const looks = poll(60_000);
  t.true(looks <= 7, `${looks}`);
});

test('queues have a pace of their own', (t) => {
  const { pace, poll } = openPace();
  poll(60_000);
  t.is(pace.untilLookMs('queue:default/java_tool'), 0);
});
