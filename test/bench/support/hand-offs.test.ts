import test from 'ava';

import { createItemTimes, summarizeHandOffs } from '../../../bench/support/hand-offs.ts';

const item = (executionId: string, claimedMs: number, completedMs: number) => ({
  executionId,
  claimedMs,
  completedMs,
});

test('a hand-off lies between two items of one execution, with any workers', (t) => {
  const found = summarizeHandOffs([
    item('b', 25, 27),
    item('a', 17, 20),
    item('a', 5, 10),
    item('b', 1, 2),
    item('alone', 0, 1),
  ]);
  t.deepEqual(found, { next_claim_p50_ms: 23, next_claim_p99_ms: 23 });
});

test('a claim that is answered before the completion is has not waited', (t) => {
  t.is(summarizeHandOffs([item('a', 1, 5), item('a', 4, 6)])['next_claim_p50_ms'], 0);
});

test('executions of one item have no hand-off', (t) => {
  t.deepEqual(summarizeHandOffs([item('a', 1, 5), item('b', 4, 6)]), {});
});

test('the time of an item ends with the answer to its completion', async (t) => {
  const times = createItemTimes();
  const send = times.watch(async () => new Response());
  times.claimed('item-1', 'execution-1');
  await send('http://svc/work-items/item-1/heartbeat');
  t.deepEqual(times.take(), []);
  await send('http://svc/work-items/item-1/complete');
  const [only, ...others] = times.take();
  t.is(only?.executionId, 'execution-1');
  t.true((only?.completedMs ?? 0) > (only?.claimedMs ?? 0));
  t.deepEqual([others, times.take()], [[], []]);
});
