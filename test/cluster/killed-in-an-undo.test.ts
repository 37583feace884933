import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { freePort } from '../support/servers/ports.ts';
import { expectStatus, makeTenant, type TestTenant } from '../support/tenant.ts';

/*
 * The runtime is killed (SIGKILL) while an execution undoes its steps, and right after it accepted a
 * fork. The undos continue in their order, and each has one visit and one item; so does the fork.
 */

interface Scene {
  readonly tenant: TestTenant;
  /** Kills the runtime, and starts another on the same database. */
  readonly kill: () => Promise<void>;
}

async function play(
  t: ExecutionContext,
  dialect: Dialect,
  env: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const database = await createTestDatabase(dialect);
  t.teardown(() => database.drop());
  const settings = {
    databaseUrl: database.url,
    port: await freePort(),
    apiKey: `key-${randomBytes(24).toString('base64url')}`,
    env,
  };
  let runtime = await startRuntime(settings);
  t.teardown(() => runtime.end('SIGKILL'));
  return {
    tenant: await makeTenant({
      request: (request) => runtime.request(request),
      tenantId: 'acme',
    }),
    kill: async () => {
      await runtime.end('SIGKILL');
      runtime = await startRuntime(settings);
    },
  };
}

const step = (more: JsonObject = {}): JsonObject => ({
  kind: { type: 'python_fn', module: 'trip', function: 'f' },
  retry_policy: { max_attempts: 3, initial_delay: 0 },
  ...more,
});
const undone = (): JsonObject => step({ undo: step() });
const TRIP: JsonObject = {
  start_node: 'flight',
  nodes: {
    flight: undone(),
    hotel: undone(),
    car: undone(),
    pay: step({ retry_policy: 'no_retry' }),
  },
  edges: [
    { from: 'flight', to: 'hotel' },
    { from: 'hotel', to: 'car' },
    { from: 'car', to: 'pay' },
  ],
};

/** Three steps are complete, the fourth has failed, and the undo of the third is with a worker. */
async function untilUndoing(tenant: TestTenant) {
  const id = await tenant.run(TRIP);
  for (const node of ['flight', 'hotel', 'car']) await tenant.work(node, { booked: node });
  expectStatus(await tenant.fail(await tenant.claimOf('pay')), 200);
  return { id, held: await tenant.claimOf('car.undo') };
}

const isUndo = (line: string) => /^Node(?:Scheduled|Completed) .*\.undo$/.test(line);
const UNDOS = ['car', 'hotel', 'flight'].flatMap((node) => [
  `NodeScheduled ${node}.undo`,
  `NodeCompleted ${node}.undo`,
]);

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a worker completes the undo that it held when the runtime was killed`, async (t) => {
    const { tenant, kill } = await play(t, dialect);
    const { id, held } = await untilUndoing(tenant);
    await kill();
    expectStatus(await tenant.complete(held), 200);
    await tenant.work('hotel.undo');
    await kill();
    await tenant.work('flight.undo');
    await tenant.until(id, 'failed');
    t.deepEqual((await tenant.story(id)).filter(isUndo), UNDOS);
    t.deepEqual(await tenant.tryClaim(), { claimed: false });
  });

  test(`${dialect}: an undo whose worker dies with the runtime runs again under its key`, async (t) => {
    const { tenant, kill } = await play(t, dialect, { SVC_SCHEDULER_LEASE_SECONDS: '2' });
    const { id, held } = await untilUndoing(tenant);
    await kill();
    const again = await tenant.claimOf('car.undo');
    t.is(again.id, held.id);
    t.is(again.idempotency_key, held.idempotency_key);
    t.is((await tenant.complete(held)).status, 409, 'the first worker has lost its lease');
    expectStatus(await tenant.complete(again), 200);
    await tenant.work('hotel.undo');
    await tenant.work('flight.undo');
    await tenant.until(id, 'failed');
    t.deepEqual((await tenant.story(id)).filter(isUndo), UNDOS);
  });

  test(`${dialect}: a fork that was accepted before a kill runs, and undoes its own steps`, async (t) => {
    const { tenant, kill } = await play(t, dialect);
    const { id, held } = await untilUndoing(tenant);
    const forked = await tenant.post<{ readonly execution_id: string }>(`/executions/${id}/fork`, {
      at: 'car',
    });
    t.is(forked.status, 201);
    const fork = forked.body.execution_id;
    await kill();
    await tenant.work('car');
    expectStatus(await tenant.fail(await tenant.claimOf('pay')), 200);
    await kill();
    expectStatus(await tenant.complete(held), 200);
    await tenant.work('car.undo');
    await tenant.until(fork, 'failed');
    t.deepEqual((await tenant.story(fork)).filter(isUndo), UNDOS.slice(0, 2));
    await tenant.work('hotel.undo');
    await tenant.work('flight.undo');
    await tenant.until(id, 'failed');
    t.deepEqual((await tenant.story(id)).filter(isUndo), UNDOS);
  });
}
