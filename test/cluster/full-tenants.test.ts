import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startRuntime } from '../support/runtime.ts';
import { makeTenant, type TestTenant } from '../support/tenant.ts';

/* Starts of a full tenant at several processes, one of which is killed, on PostgreSQL. */

const GO = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };
const LIMIT = 4;
const STARTS = 40;
const TENANT = 'acme';

test('starts at three processes wait for their tenant, and begin also after one is killed', async (t) => {
  t.timeout(120_000);
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const first = await startRuntime({ databaseUrl: database.url });
  const others = await Promise.all(
    [1, 2].map(() => startRuntime({ databaseUrl: database.url, apiKey: first.apiKey })),
  );
  const [second = first, killed = first] = others;
  const stays = [first, second];
  t.teardown(() => Promise.all(stays.map((runtime) => runtime.end('SIGTERM'))));
  const open = (runtime: typeof first) =>
    makeTenant({ request: (request) => runtime.request(request), tenantId: TENANT });
  const svc = await open(first);
  const tenants = [svc, await open(second), await open(killed)];
  const limits = { max_concurrent_executions: LIMIT, when_full: 'queue' };
  await svc.send({
    method: 'PUT',
    path: `/tenants/${TENANT}`,
    tenantId: 'default',
    body: { limits },
  });
  const plain = await svc.register({ workflow_id: 'plain', nodes: { go: GO } });
  const keyed = await svc.register({
    workflow_id: 'keyed',
    concurrency: { limit: 1 },
    nodes: { go: GO },
  });
  const ids = await Promise.all(
    Array.from({ length: STARTS }, (_, index) => {
      const at = tenants[index % tenants.length] ?? svc;
      return at.start(index % 4 === 0 ? keyed : plain);
    }),
  );
  t.is(new Set(ids).size, STARTS);
  const complete = async (id: string, at: readonly TestTenant[]) => {
    await at[Number.parseInt(id.slice(-2), 16) % at.length]?.deliver(id, 'go');
    await svc.until(id, 'completed');
  };
  let done = 0;
  let kill: Promise<unknown> | null = null;
  while (done < STARTS) {
    const begun = await eventually(async () => {
      const running = await list(svc, 'paused');
      if (running.length === 0) throw new Error(`none runs, and ${done} have ended`);
      return running;
    });
    t.true(begun.length <= LIMIT, `${begun.length} run at a time`);
    if (done >= STARTS / 2) kill ??= killed.end('SIGKILL');
    const at = kill === null ? tenants : tenants.slice(0, 2);
    await Promise.all(begun.map((id) => complete(id, at)));
    done += begun.length;
  }
  await kill;
  t.is((await list(svc, 'completed')).length, STARTS);
  t.deepEqual(
    stays.flatMap((runtime) => runtime.errors()),
    [],
  );
});

async function list(svc: TestTenant, status: string): Promise<readonly string[]> {
  const path = `/executions?status=${status}&limit=100`;
  const { body } = await svc.get<{
    readonly executions: readonly { readonly execution_id: string }[];
  }>(path);
  return body.executions.map((row) => row.execution_id);
}
