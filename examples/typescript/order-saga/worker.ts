import { createWorker } from 'svc-sdk/worker';

import { order } from './order.ts';

const token = process.env['SVC_TOKEN'];
const worker = createWorker({
  url: process.env['SVC_URL'] ?? 'http://127.0.0.1:7700',
  ...(token !== undefined && { token }),
  functions: [order],
});
process.once('SIGTERM', () => void worker.stop({ deadlineMs: 20_000 }));
process.once('SIGINT', () => void worker.stop({ deadlineMs: 20_000 }));
await worker.run();
