import assert from 'node:assert/strict';
import test from 'node:test';

import { createTestRuntime } from 'svc-sdk/testing';

import { order } from '../src/order.ts';
import { review } from '../src/review.ts';

test('an order is reserved and charged', async () => {
  await using runtime = await createTestRuntime({ functions: [order] });
  const execution = await runtime.start(order, { item: 'book', amount: 25 });
  await runtime.advance('1s');
  const { charged } = await execution.result();
  assert.equal(charged, 25);
});

test('a declined card releases the reservation', async () => {
  await using runtime = await createTestRuntime({ functions: [order] });
  const execution = await runtime.start(order, { item: 'boat', amount: 25_000 });
  await runtime.advance('1s');
  await assert.rejects(execution.result(), /declined/);
  const steps = await execution.steps();
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ['on_rollback', 'step', 'timer', 'step', 'rollback'],
  );
});

test('a document is published when a person approves', async () => {
  await using runtime = await createTestRuntime({ workflows: [review] });
  const execution = await runtime.start(review, { document: 'contract' });
  await execution.approve();
  assert.deepEqual(await execution.result(), { published: 'contract' });
});
