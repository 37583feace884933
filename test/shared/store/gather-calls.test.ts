import test from 'ava';

import { gatherCalls } from '../../../src/shared/store/gather-calls.ts';
import { StoreUnavailableError } from '../../../src/shared/store/store.ts';

/** Calls `<group><number>`; the test answers their batches. */
function scripted(options: { readonly lanes?: number; readonly sizeMax?: number } = {}) {
  const batches: {
    readonly calls: readonly string[];
    answer: () => void;
    fail: (error: Error) => void;
  }[] = [];
  const call = gatherCalls(
    (calls: readonly string[]) =>
      new Promise<readonly string[]>((resolve, reject) => {
        const answer = () => resolve(calls.map((each) => `answer to ${each}`));
        batches.push({ calls, answer, fail: reject });
      }),
    {
      groupOf: (each) => each.charAt(0),
      sizeOf: (each) => Number(each.slice(1)),
      sizeMax: options.sizeMax ?? 100,
      lanes: options.lanes ?? 1,
      onFailure: 'split',
    },
  );
  return { batches, call, sent: () => batches.map(({ calls }) => calls) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls of one turn leave together in their order, each group separately', async (t) => {
  const { batches, call, sent } = scripted();
  const calls = ['a1', 'b1', 'a2', 'b2'].map(call);
  await turn();
  t.deepEqual(sent(), [
    ['a1', 'a2'],
    ['b1', 'b2'],
  ]);
  for (const batch of batches) batch.answer();
  t.deepEqual(await Promise.all(calls), [
    'answer to a1',
    'answer to b1',
    'answer to a2',
    'answer to b2',
  ]);
});

test('while the lanes of a group are busy its calls gather, and no other group waits', async (t) => {
  const { batches, call, sent } = scripted();
  const calls = [call('a1')];
  await turn();
  for (const each of ['a2', 'a3', 'b1']) {
    calls.push(call(each));
    await turn();
  }
  t.deepEqual(sent(), [['a1'], ['b1']]);
  batches[0]?.answer();
  await calls[0];
  await turn();
  t.deepEqual(sent(), [['a1'], ['b1'], ['a2', 'a3']]);
  for (const batch of batches) batch.answer();
  t.is((await Promise.all(calls)).length, 4);
});

test('a batch is no larger than the bound, but for one call that is', async (t) => {
  const { batches, call, sent } = scripted({ sizeMax: 5 });
  const calls = ['a2', 'a3', 'a1', 'a9', 'a1'].map(call);
  for (let at = 0; at < 4; at += 1) {
    await turn();
    batches[at]?.answer();
  }
  await Promise.all(calls);
  t.deepEqual(sent(), [['a2', 'a3'], ['a1'], ['a9'], ['a1']]);
});

test('an error of one call is its own', async (t) => {
  const answered = async (calls: readonly number[]): Promise<readonly number[]> => {
    if (calls.includes(3)) throw new Error('three');
    return calls.map((each) => each * 10);
  };
  const call = gatherCalls(answered, {
    sizeMax: 10,
    lanes: 1,
    onFailure: 'split',
  });
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(call));
  t.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
    [10, 20, 'failed', 40, 50],
  );
});

test('an unavailable store is reported to all, and asked only once', async (t) => {
  const { batches, call, sent } = scripted();
  const calls = ['a1', 'a2'].map(call);
  await turn();
  batches[0]?.fail(new StoreUnavailableError('gone', { ambiguous: true }));
  for (const each of calls) await t.throwsAsync(each, { instanceOf: StoreUnavailableError });
  t.is(sent().length, 1);
  const next = call('a3');
  await turn();
  batches[1]?.answer();
  t.is(await next, 'answer to a3');
});
