import { createClient } from 'svc-sdk/client';
import { createWorker } from 'svc-sdk/worker';

import { order } from './order.ts';
import { review } from './review.ts';

// Both call SVC_URL with SVC_TOKEN; without these, http://127.0.0.1:7700.
const client = createClient();
const worker = createWorker({ functions: [order] });

// Registering the same definition again changes nothing.
await client.workflows.register(review.toIR());

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void worker.stop());
}
await worker.run();
