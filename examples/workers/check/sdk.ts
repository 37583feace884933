import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { defineFunction } from 'svc-sdk';
import {
  createWorker,
  defineTool,
  type Labels,
  NonRetryableError,
  RetryAfter,
} from 'svc-sdk/worker';

/* The tools of `svc worker check`, on the TypeScript SDK. */

let cancelled = 0;

const tools = [
  defineTool('check.echo', (input) => input),
  defineTool('check.call', (_, { idempotencyKey }) => ({
    call: randomUUID(),
    idempotency_key: idempotencyKey,
  })),
  defineTool<{ message: string }>('check.fail', ({ message }) => {
    throw new Error(message);
  }),
  defineTool<{ ms: number }>('check.slow', async ({ ms }) => {
    await delay(ms);
    return { ms };
  }),
  defineTool<{ message: string }>('check.fatal', ({ message }) => {
    throw new NonRetryableError(message);
  }),
  defineTool<{ ms: number }>('check.retry_after', ({ ms }) => {
    throw new RetryAfter(ms);
  }),
  defineTool('check.trace', (_, { traceparent }) => ({ traceparent })),
  defineTool<Labels>('check.labels', (labels, { setLabels }) => {
    setLabels(labels);
    return {};
  }),
  defineTool<{ ms: number }>('check.cancel', async ({ ms }, { signal }) => {
    await delay(ms, undefined, { signal }).catch(() => (cancelled += 1));
    return {};
  }),
  defineTool('check.never', () => new Promise<object>(() => undefined)),
  defineTool('check.cancelled', () => ({ cancelled })),
];

const steps = defineFunction('check.steps', async (ctx) => ({
  first: await ctx.step('first', () => randomUUID()),
}));

const rides = defineFunction('check.rides', async (ctx) => {
  await ctx.step('first', () => 1, { durability: 'end' });
  await ctx.step('second', () => 2, { durability: 'end' });
  return {};
});

const stepsCancel = defineFunction('check.steps_cancel', async (ctx, { ms }: { ms: number }) =>
  ctx.step('wait', async ({ signal }) => {
    await delay(ms, undefined, { signal });
    return {};
  }),
);

const worker = createWorker({ tools, functions: [steps, rides, stepsCancel] });
process.once('SIGTERM', () => void worker.stop({ deadlineMs: 3_000 }));
try {
  await worker.run();
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
