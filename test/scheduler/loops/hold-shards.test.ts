import test from 'ava';
import fc from 'fast-check';
import { fairShare } from '../../../src/scheduler/loops/hold-shards.ts';

test('fair shares cover all 64 shards, and none is larger than it must be', (t) => {
  t.is(fairShare(1), 64);
  t.is(fairShare(2), 32);
  t.is(fairShare(3), 22);
  t.is(fairShare(64), 1);
  t.is(fairShare(100), 1);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), (schedulers) => {
      const share = fairShare(schedulers);
      t.true(share * schedulers >= 64);
      t.true((share - 1) * schedulers < 64);
    }),
  );
});

test('a count of none is a scheduler that is not announced yet: it would be alone', (t) => {
  t.is(fairShare(0), 64);
});
