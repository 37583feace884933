import test from 'ava';
import { createClient } from 'svc-sdk/client';

import { answer, startScriptedServer } from './support/scripted-server.ts';

test('a page without an item is not the end of the audit log while it has a cursor', async (t) => {
  const page = (items: readonly object[], cursor: string | null) =>
    answer(200, { items, total: 1, limit: 200, offset: 0, next_cursor: cursor });
  const server = await startScriptedServer(
    page([], 'first'),
    page([{ id: 'found' }], 'second'),
    page([], null),
  );
  t.teardown(() => server.close());
  const client = createClient({ url: server.url });
  const found = await client.audit.list({ event_type: 'approval_received' }).toArray();
  t.deepEqual(
    found.map(({ id }) => id),
    ['found'],
  );
});
