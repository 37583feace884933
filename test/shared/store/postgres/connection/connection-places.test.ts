import test from 'ava';

import { createConnectionPlaces } from '../../../../../src/shared/store/postgres/connection/connection-places.ts';
import { isFullPool } from '../../../../../src/shared/store/postgres/connection/errors.ts';
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
  t.is(places.waiting, 1);
  const error = await t.throwsAsync(late, { instanceOf: StoreUnavailableError });
  t.regex(error.message, /became free/);
  // A replica that is busy is not lost.
  t.true(isFullPool(error.cause));
  t.is(places.waiting, 0);
  first.resolve('done');
  t.is(await holder, 'done');
  t.is(await places.hold(async () => 'next'), 'next');
});

test('once the oldest has waited for half of the longest wait, the newest goes first', async (t) => {
  let now = 0;
  const places = createConnectionPlaces({ placesMax: 1, waitMsMax: 60_000, now: () => now });
  const order: string[] = [];
  const gates = new Map<string, () => void>();
  const call = (name: string) =>
    places.hold(async () => {
      order.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(name, resolve);
      await promise;
    });
  const end = async (name: string): Promise<void> => {
    gates.get(name)?.();
    await eventLoopTurn();
  };
  const calls = ['a', 'b', 'c', 'd'].map(call);
  await eventLoopTurn();
  now = 30_000;
  calls.push(call('e'));
  await end('a');
  t.deepEqual(order, ['a', 'b']);
  now = 30_001;
  await end('b');
  t.deepEqual(order, ['a', 'b', 'e']);
  calls.push(call('f'));
  await end('e');
  await end('f');
  t.deepEqual(order, ['a', 'b', 'e', 'f', 'd']);
  now = 40_000;
  calls.push(call('g'), call('h'));
  await end('d');
  await end('h');
  await end('g');
  await end('c');
  await Promise.all(calls);
  t.deepEqual(order, ['a', 'b', 'e', 'f', 'd', 'h', 'g', 'c']);
  // The line was empty: in order of arrival again.
  const more = ['i', 'j', 'k'].map(call);
  await eventLoopTurn();
  await end('i');
  await end('j');
  await end('k');
  await Promise.all(more);
  t.deepEqual(order.slice(-3), ['i', 'j', 'k']);
});

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
