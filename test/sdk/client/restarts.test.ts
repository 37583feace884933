import test from 'ava';
import { createClient } from 'svc-sdk/client';

import { createTestDatabase } from '../../support/database.ts';
import { freePort } from '../../support/servers/ports.ts';
import { startRuntime } from '../../support/runtime.ts';

/* A client whose service dies and restarts at the same address. */

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`waits for a result and for events survive a killed service (${dialect})`, async (t) => {
    t.timeout(90_000);
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const port = await freePort();
    const first = await startRuntime({ databaseUrl: database.url, port });
    const client = createClient({ url: first.url, token: first.apiKey });
    const nodes = { a: { kind: 'human_approval', output_key: 'said' } };
    await client.workflows.register({ workflow_id: 'w', nodes });
    const handle = await client.start('w', {});
    const waiting = handle.result({ timeout: '80s' });
    const kinds: string[] = [];
    const following = (async () => {
      for await (const { kind } of handle.events()) kinds.push(kind);
    })();
    await handle.describe();
    await first.end('SIGKILL');

    const second = await startRuntime({ databaseUrl: database.url, port, apiKey: first.apiKey });
    t.teardown(() => second.end('SIGTERM'));
    t.true((await handle.approve()).accepted);
    t.like(await waiting, { decision: 'approved' });
    await following;
    const history = await handle.history().toArray();
    t.deepEqual(
      kinds,
      history.map(({ kind }) => kind),
    );
  });
}
