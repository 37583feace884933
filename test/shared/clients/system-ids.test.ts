import { randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { createIds } from '../../../src/shared/clients/system-ids.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('ids sort in the order they were made, through any change of the clock', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 2 ** 42 }), { minLength: 2, maxLength: 200 }),
      (readings) => {
        let reading = 0;
        const ids = createIds({ now: () => readings[reading++] ?? 0, randomBytes });
        const made = readings.map(() => ids.uuid());
        t.deepEqual(made.toSorted(), made);
        t.is(new Set(made).size, made.length);
        t.true(made.every((id) => UUID_V7.test(id)));
      },
    ),
  );
});

test('an id carries the millisecond it was made in', (t) => {
  const made = createIds({ now: () => 0x0123_4567_89ab, randomBytes }).uuid();
  t.is(made.slice(0, 13), '01234567-89ab');
});

test('a counter that runs over moves on to the next millisecond', (t) => {
  // The highest seed, which leaves half of the counter's range.
  const ids = createIds({ now: () => 1000, randomBytes: (size) => new Uint8Array(size).fill(255) });
  const first = ids.uuid();
  t.is(first, '00000000-03e8-77ff-bfff-ffffffffffff');
  let last = first;
  for (let made = 0; made < 2 ** 17; made++) last = ids.uuid();
  t.is(last.slice(0, 18), '00000000-03e8-7fff');
  t.is(ids.uuid().slice(0, 13), '00000000-03e9');
});

test('a hundred thousand ids of one process are distinct', (t) => {
  const ids = createIds({ now: Date.now, randomBytes });
  const made = new Set(Array.from({ length: 100_000 }, () => ids.uuid()));
  t.is(made.size, 100_000);
});
