import { readFileSync } from 'node:fs';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* The examples of kinds that need no external system: each ends as its file says. */

const check = onBothStores();

function example(name: string): JsonObject {
  const file = new URL(`../../examples/workflows/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
}

check('pass.json greets', async (t, svc) => {
  const id = await svc.run(example('pass'), { name: 'Ann' });
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { name: 'Ann', greeting: 'Hello, Ann', polite: true });
});

check('condition.json takes one of two branches', async (t, svc) => {
  for (const [total, size] of [
    [101, 'large'],
    [100, 'small'],
  ] as const) {
    const id = await svc.run(example('condition'), { total });
    t.deepEqual((await svc.until(id, 'completed')).state, { total, size });
  }
});

check('parallel.json does both, and join.json collects what both gave', async (t, svc) => {
  const split = await svc.run(example('parallel'));
  t.deepEqual((await svc.until(split, 'completed')).state, { left: 'done', right: 'done' });
  const joined = await svc.run(example('join'));
  const { state } = await svc.until(joined, 'completed');
  t.deepEqual(state, { results: { left: 1, right: 2 } });
});

check('map.json doubles every number', async (t, svc) => {
  const id = await svc.run(example('map'), { numbers: [1, 2, 3] });
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { numbers: [1, 2, 3], doubled: [2, 4, 6] });
});

check('limit-exceeded.json gives up after five rounds', async (t, svc) => {
  const id = await svc.run(example('limit-exceeded'));
  const { error, state } = await svc.until(id, 'failed');
  t.is(error, 'limit exceeded: five rounds were not enough');
  t.deepEqual(state, { rounds: 5 });
});

check('fail.json refuses a flight without seats', async (t, svc) => {
  const id = await svc.run(example('fail'), { flight: 'X1', seats: 0 });
  t.is((await svc.until(id, 'failed')).error, 'no seats left on X1');
});

check('undo.json cancels what is booked, the last first', async (t, svc) => {
  const id = await svc.run(example('undo'));
  await svc.work('flight', { id: 'f1' });
  await svc.work('hotel', { id: 'h1' });
  await svc.breakDown('car', { error: 'no cars left' });
  const hotel = await svc.work('hotel.undo');
  const flight = await svc.work('flight.undo');
  t.deepEqual(
    [hotel.payload['input'], flight.payload['input']],
    [{ booking: 'h1' }, { booking: 'f1' }],
  );
  t.is((await svc.until(id, 'failed')).error, 'node car failed: no cars left');
});

for (const name of ['python-fn', 'java-fn']) {
  check(`${name}.json has a number squared by a worker`, async (t, svc) => {
    const id = await svc.run(example(name), { number: 7 });
    const item = await svc.work('square', { result: 49 });
    t.deepEqual(item.payload['input'], { value: 7 });
    const { state } = await svc.until(id, 'completed');
    t.deepEqual(state, { number: 7, squared: { result: 49 } });
  });
}

check('human-approval.json publishes what is approved, and withdraws the rest', async (t, svc) => {
  for (const [decision, published] of [
    ['approved', true],
    ['rejected', false],
  ] as const) {
    const id = await svc.run(example('human-approval'));
    await svc.untilEvent(id, 'ApprovalRequested', 'review');
    await svc.approve(id, { decision, user_id: 'ann' });
    t.deepEqual((await svc.until(id, 'completed')).state, { published });
  }
});

check('wait.json waits for its time, and then for the payment', async (t, svc) => {
  const id = await svc.run(example('wait'), { order_id: 'A-1' });
  await svc.deliver(id, 'A-1', { amount: 5 });
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { order_id: 'A-1', payment: { amount: 5 } });
});
