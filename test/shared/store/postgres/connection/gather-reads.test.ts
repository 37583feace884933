import test from 'ava';

import { gatherReads } from '../../../../../src/shared/store/postgres/connection/gather-reads.ts';

/** A read whose batches the test answers. */
function scripted() {
  const batches: { readonly keys: readonly number[]; answer: () => void; fail: () => void }[] = [];
  const read = (keys: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      batches.push({
        keys,
        answer: () => resolve(keys.map((key) => `value of ${key}`)),
        fail: () => reject(new Error('no connection')),
      });
    });
  return { batches, read };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('reads of one turn of the event loop are sent together', async (t) => {
  const { batches, read } = scripted();
  const load = gatherReads(read);
  const first = [load(1), load(2)];
  await Promise.resolve();
  const third = load(1);
  await turn();
  t.deepEqual(
    batches.map(({ keys }) => keys),
    [[1, 2, 1]],
  );
  batches[0]?.answer();
  t.deepEqual(await Promise.all([...first, third]), ['value of 1', 'value of 2', 'value of 1']);
});

test('while all lanes are busy reads gather, and go out when one is free, up to a bound', async (t) => {
  const { batches, read } = scripted();
  const load = gatherReads(read, { lanes: 1, keysMax: 2 });
  const all = [load(1)];
  await turn();
  for (const key of [2, 3, 4]) {
    all.push(load(key));
    await turn();
  }
  t.is(batches.length, 1);
  for (let at = 0; at < 3; at += 1) {
    batches[at]?.answer();
    await turn();
  }
  t.deepEqual(
    batches.map(({ keys }) => keys),
    [[1], [2, 3], [4]],
  );
  t.is((await Promise.all(all)).length, 4);
});

test('a batch that fails fails all of it, and what comes after is read', async (t) => {
  const { batches, read } = scripted();
  const load = gatherReads(read, { lanes: 1 });
  const failing = [load(1), load(2)];
  await turn();
  const next = load(3);
  batches[0]?.fail();
  for (const one of failing) await t.throwsAsync(one, { message: 'no connection' });
  await turn();
  batches[1]?.answer();
  t.is(await next, 'value of 3');
});

test('too few values fail those that got none', async (t) => {
  const load = gatherReads(async (keys: readonly number[]) => keys.slice(1));
  const [first, second] = [load(1), load(2)];
  t.is(await first, 2);
  await t.throwsAsync(second, { message: /too few/ });
});
