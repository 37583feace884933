import { createWorker, defineFunction, silentLogger } from 'svc-sdk/worker';

import { major6 } from './major-6.ts';
import { major7 } from './major-7.ts';

/* A worker with an agent, in its own process, which tests kill. Its tools call the test. */

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

const major = setting('MAJOR') === major6.name ? major6 : major7;

const post = async (path: string, key: string): Promise<string> => {
  const response = await fetch(`${setting('RECEIVER_URL')}/${path}`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
  });
  return response.text();
};

const agent = defineFunction('agent', (ctx) =>
  major.generate({
    ctx,
    url: setting('PROVIDER_URL'),
    act: async (tool, { key }) => {
      await post(`${tool}-begins`, key);
      return post(tool, key);
    },
  }),
);

const worker = createWorker({
  url: setting('RUNTIME_URL'),
  token: setting('RUNTIME_TOKEN'),
  tenantId: setting('RUNTIME_TENANT'),
  functions: [agent],
  logger: silentLogger,
});
process.once('SIGTERM', () => void worker.stop());
await worker.run();
