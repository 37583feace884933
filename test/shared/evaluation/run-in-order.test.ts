import test from 'ava';

import { runInOrder } from '../../../src/shared/evaluation/run-in-order.ts';

async function* count(to: number) {
  for (let n = 0; n < to; n += 1) yield n;
}

test('results are handed on in order, however the items end', async (t) => {
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const taken: number[] = [];
  const all = runInOrder({
    items: count(4),
    concurrency: 4,
    isOver: () => false,
    async run(n) {
      await gates[n]?.promise;
      return n;
    },
    take: async (n) => void taken.push(n),
  });
  for (const n of [2, 1, 3, 0]) gates[n]?.resolve();
  await all;
  t.deepEqual(taken, [0, 1, 2, 3]);
});

test('no more are under way at a time than asked for', async (t) => {
  let under = 0;
  let most = 0;
  await runInOrder({
    items: count(50),
    concurrency: 3,
    isOver: () => false,
    async run(n) {
      most = Math.max(most, (under += 1));
      await new Promise<void>((resolve) => setImmediate(resolve));
      under -= 1;
      return n;
    },
    take: async () => undefined,
  });
  t.is(most, 3);
});

test('one that is slow holds the others back after a while', async (t) => {
  const slow = Promise.withResolvers<void>();
  let ran = 0;
  const taken: number[] = [];
  const all = runInOrder({
    items: count(1_000),
    concurrency: 2,
    isOver: () => false,
    async run(n) {
      if (n === 0) await slow.promise;
      ran += 1;
      return n;
    },
    take: async (n) => void taken.push(n),
  });
  for (let turns = 0; turns < 5_000; turns += 1) await Promise.resolve();
  t.is(ran, 256);
  t.deepEqual(taken, []);
  slow.resolve();
  await all;
  t.deepEqual(
    taken,
    Array.from({ length: 1_000 }, (_, n) => n),
  );
});

test('after a failure nothing is begun, and what has ended is handed on', async (t) => {
  const begun: number[] = [];
  const taken: number[] = [];
  const error = await t.throwsAsync(
    runInOrder({
      items: count(100),
      concurrency: 2,
      isOver: () => false,
      async run(n) {
        begun.push(n);
        if (n === 1) throw new Error('gone');
        return n;
      },
      take: async (n) => void taken.push(n),
    }),
  );
  t.is(error?.message, 'gone');
  t.true(begun.length < 10);
  t.deepEqual(
    taken,
    begun.filter((n) => n !== 1),
  );
});

test('once it is over nothing is begun', async (t) => {
  const taken: number[] = [];
  await runInOrder({
    items: count(100),
    concurrency: 1,
    isOver: () => taken.length === 3,
    run: async (n) => n,
    take: async (n) => void taken.push(n),
  });
  t.deepEqual(taken, [0, 1, 2]);
});
