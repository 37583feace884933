import test from 'ava';

import { createConnectionPlaces } from '../../../../../src/shared/store/postgres/connection/connection-places.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

test('so many calls at a time, in their order, with any outcome of each', async (t) => {
  const places = createConnectionPlaces({ placesMax: 2, waitMsMax: 60_000 });
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const calls = ends.map(({ promise }, index) =>
    places.hold(() => {
      begun.push(index);
      return promise;
    }),
  );
  await eventLoopTurn();
  t.deepEqual(begun, [0, 1]);
  ends[1]?.reject(new Error('boom'));
  await t.throwsAsync(calls[1] ?? Promise.resolve(), { message: 'boom' });
  await eventLoopTurn();
  t.deepEqual(begun, [0, 1, 2]);
  for (const [index, { resolve }] of ends.entries()) resolve(index);
  t.deepEqual(await Promise.all(calls.toSpliced(1, 1)), [0, 2, 3, 4]);
  t.deepEqual(begun, [0, 1, 2, 3, 4]);
  t.is(await places.hold(async () => 'again'), 'again');
});

test('a call that waits too long for a place gets an error, and takes none', async (t) => {
  const places = createConnectionPlaces({ placesMax: 1, waitMsMax: 1 });
  const first = Promise.withResolvers<string>();
  const holder = places.hold(() => first.promise);
  const late = places.hold(async () => t.fail());
  await t.throwsAsync(late, { instanceOf: StoreUnavailableError, message: /became free/ });
  first.resolve('done');
  t.is(await holder, 'done');
  t.is(await places.hold(async () => 'next'), 'next');
});

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
