import {
  createWorker,
  defineFunction,
  silentLogger,
} from '../../../../sdk/typescript/src/worker/index.ts';

/* A worker in its own process, which tests kill. Its steps call the receiver of the test. */

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

const call = async (name: string, idempotencyKey: string): Promise<{ answer: string }> => {
  const response = await fetch(`${setting('RECEIVER_URL')}/${name}`, {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey },
  });
  return { answer: await response.text() };
};

const order = defineFunction('order', async (ctx) => {
  ctx.onRollback('refund', ({ idempotencyKey }) => call('refund', idempotencyKey));
  const first = await ctx.step('charge', ({ idempotencyKey }) => call('charge', idempotencyKey));
  const [second, third] = await ctx.all([
    async () => ctx.step('ship', ({ idempotencyKey }) => call('ship', idempotencyKey)),
    async () => ctx.step('bill', ({ idempotencyKey }) => call('bill', idempotencyKey)),
  ]);
  await ctx.sleep(10);
  return { first, second, third };
});

const worker = createWorker({
  url: setting('RUNTIME_URL'),
  token: setting('RUNTIME_TOKEN'),
  tenantId: setting('RUNTIME_TENANT'),
  functions: [order],
  logger: silentLogger,
});
process.once('SIGTERM', () => void worker.stop());
await worker.run();
