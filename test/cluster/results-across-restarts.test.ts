import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { expectStatus, makeTenant } from '../support/tenant.ts';

/* Clients wait for the end of an execution, while the process with their requests restarts. */

const approval = { nodes: { a: { kind: 'human_approval' } } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a wait survives a restart by asking again (${dialect})`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const tenantId = 'acme';
    const first = await startRuntime({ databaseUrl: database.url });
    const { apiKey } = first;
    const before = await makeTenant({ request: (request) => first.request(request), tenantId });
    const id = await before.run(approval);
    const path = `/executions/${id}/result?wait=1m`;
    const waiting = before.get(path);
    await before.get(`/executions/${id}`);
    const stopped = first.end('SIGTERM');
    t.deepEqual(expectStatus(await waiting, 202) as unknown, {
      execution_id: id,
      status: 'paused',
    });
    t.is(await stopped, 0);

    const second = await startRuntime({ databaseUrl: database.url, apiKey });
    t.teardown(() => second.end('SIGTERM'));
    const after = await makeTenant({ request: (request) => second.request(request), tenantId });
    const again = after.get(path);
    await after.get(`/executions/${id}`);
    await after.approve(id, { decision: 'approved' });
    t.like(expectStatus(await again, 200) as unknown, { status: 'completed', error: null });
    t.deepEqual([...first.errors(), ...second.errors()], []);
  });
}
