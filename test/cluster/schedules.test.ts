import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { Cluster } from './cluster.ts';

/* Real schedulers fire every second, and are killed while they do. */

interface Schedule {
  readonly fires: { readonly started: number; readonly missed: number; readonly failed: number };
}

test('schedulers that fire are killed: every second is fired, and once', async (t) => {
  t.timeout(120_000);
  const database = await createTestDatabase('postgres');
  const cluster = new Cluster(database.url);
  t.teardown(async () => {
    await cluster.stop();
    await database.drop();
  });
  const api = await cluster.startApi();
  const first = await cluster.startScheduler();
  await cluster.startScheduler();
  const svc = await api.newTenant();
  await svc.register({ nodes: { a: {} } });
  const body = { name: 'tick', workflow_id: 'w', every: '1s', overlap_policy: 'allow' };
  expectStatus(await svc.post('/schedules', body), 201);
  await untilStarted(svc, 3);
  // The first scheduler started earlier, so it is on duty.
  await first.end('SIGKILL');
  const atKill = await read(svc);
  await cluster.startScheduler();
  await untilStarted(svc, atKill.fires.started + 5);
  const pause = { method: 'PUT', path: '/schedules/tick', body: { paused: true } } as const;
  expectStatus(await svc.send(pause), 200);
  const { schedule, seconds } = await eventually(async () => {
    const now = { schedule: await read(svc), seconds: await fired(svc) };
    if (now.seconds.length !== now.schedule.fires.started) throw new Error('one is being started');
    return now;
  });
  t.like(schedule.fires, { missed: 0, failed: 0 });
  const [begin = 0] = seconds;
  t.deepEqual(
    seconds,
    seconds.map((_, index) => begin + index),
  );
  t.deepEqual(api.errors(), []);
});

function untilStarted(svc: TestTenant, count: number): Promise<void> {
  return eventually(
    async () => {
      const { fires } = await read(svc);
      if (fires.started < count) throw new Error(`${fires.started} of ${count} were started`);
    },
    { withinMs: 60_000 },
  );
}

async function read(svc: TestTenant): Promise<Schedule> {
  return expectStatus(await svc.get<Schedule>('/schedules/tick'), 200);
}

/** The seconds of the fires, in order. The id of an execution begins with the time of its fire. */
async function fired(svc: TestTenant): Promise<readonly number[]> {
  const { executions } = expectStatus(
    await svc.get<{ readonly executions: readonly { readonly execution_id: string }[] }>(
      '/executions?limit=500',
    ),
    200,
  );
  return executions
    .map(({ execution_id: id }) => Number.parseInt(id.slice(5, 17), 16) / 1_000)
    .toSorted((one, other) => one - other);
}
