import { createWorker, defineTool, NonRetryableError } from 'svc-sdk/worker';

const square = defineTool<{ number: unknown }>('numbers.square', ({ number }, ctx) => {
  if (typeof number !== 'number') throw new NonRetryableError('number must be a number');
  ctx.logger.info({ number }, 'squaring');
  return { square: number ** 2 };
});

const token = process.env['SVC_TOKEN'];
const worker = createWorker({
  url: process.env['SVC_URL'] ?? 'http://127.0.0.1:7700',
  ...(token !== undefined && { token }),
  tools: [square],
});
process.once('SIGTERM', () => void worker.stop());
await worker.run();
