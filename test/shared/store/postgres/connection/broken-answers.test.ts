import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

import test from 'ava';

import { openPostgresStore } from '../../../../../src/shared/store/postgres/open.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { openTestStore } from '../../../../support/stores.ts';
import { start } from '../../contract/drive.ts';

/** As a pooler that loses its server within a row: the rest of the row is not the server's. */
const INSTANT = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*\+00/g;
/** The message that ends an answer: `Z`, its length, and the state of the transaction. */
const READY_BYTES = 6;

test('an answer that ends within a row means a lost connection, and is read again later', async (t) => {
  const database = await openTestStore('postgres');
  const { hostname, port } = new URL(database.url);
  let breaks = false;
  const pooler = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('error', () => undefined).on('data', (chunk) => server.write(chunk));
    client.on('close', () => server.destroy());
    server.on('error', () => undefined).on('close', () => client.destroy());
    server.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (!breaks || !INSTANT.test(text)) return void client.write(chunk);
      const garbage = text.replaceAll(INSTANT, (instant) => '?'.repeat(instant.length));
      client.end(Buffer.from(garbage, 'latin1').subarray(0, -READY_BYTES));
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
  const store = await openPostgresStore({ url: url.href });
  const { executionId, tenantId } = await start(store);

  breaks = true;
  const hot = await t.throwsAsync(store.executions.find(executionId, tenantId), {
    instanceOf: StoreUnavailableError,
  });
  t.regex(hot.message, /terminated within an answer/);
  await t.throwsAsync(store.tenants.list({ limit: 1, offset: 0 }), {
    instanceOf: StoreUnavailableError,
    message: /terminated within an answer/,
  });

  breaks = false;
  t.like(await store.executions.find(executionId, tenantId), { lastSequence: 1 });
  await store.close();
  pooler.close();
  await database.close();
});
