import { onBothStores } from '../support/both-stores.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';

/* Schedules: workflows that the clock starts. */

const check = onBothStores();

interface Schedule {
  readonly last_execution_id: string | null;
  readonly last_fire_at: string | null;
  readonly fires: { readonly started: number; readonly skipped: number; readonly failed: number };
  readonly next_fires: readonly string[];
}

check('200: the clock starts a workflow again and again, once for each fire', async (t, svc) => {
  await svc.register({ nodes: { a: {} } });
  const made = await create(svc, '/schedules', { every: '1s', overlap_policy: 'allow' });
  const { last_execution_id: id } = await eventually(async () => {
    const schedule = await read(svc, '/schedules/tick');
    if (schedule.fires.started < 3) throw new Error(`${schedule.fires.started} were started`);
    return schedule;
  });
  await svc.until(id ?? '', 'completed');
  const path = '/schedules/tick';
  expectStatus(await svc.send({ method: 'PUT', path, body: { paused: true } }), 200);
  // A start that began before the pause still completes.
  const paused = await eventually(async () => {
    const schedule = await read(svc, path);
    const { executions } = expectStatus(
      await svc.get<{ readonly executions: readonly unknown[] }>('/executions?limit=500'),
      200,
    );
    if (executions.length !== schedule.fires.started) throw new Error('one is being started');
    return schedule;
  });
  t.is(Date.parse(paused.last_fire_at ?? '') % 1_000, 0);
  t.deepEqual(paused.next_fires, []);
  return [made.next_fires.length, paused.fires.failed, paused.fires.skipped];
});

check('200: a schedule made under /cron cancels what it started before', async (t, svc) => {
  await svc.register({ nodes: { ask: { kind: 'human_approval', description: 'ok?' } } });
  const spec = { cron_expression: '* * * * * *', timezone: 'Europe/Berlin', input: { n: 1 } };
  await create(svc, '/cron', { ...spec, overlap_policy: 'cancel_previous' });
  const first = await eventually(async () => {
    const { last_execution_id: id } = await read(svc, '/cron/tick');
    if (id === null) throw new Error('nothing was started');
    return id;
  });
  await svc.until(first, 'cancelled');
  const removed = await svc.send<Schedule>({ method: 'DELETE', path: '/cron/tick' });
  t.is(expectStatus(removed, 200).next_fires.length, 10);
  t.is((await svc.get('/schedules/tick')).status, 404);
  const { items } = expectStatus(
    await svc.get<{ readonly items: readonly { readonly actor_id: string }[] }>(
      `/audit?execution_id=${first}&event_type=workflow_cancelled`,
    ),
    200,
  );
  return [await svc.story(first), items.map(({ actor_id: actor }) => actor)];
});

async function create(svc: TestTenant, path: string, spec: object): Promise<Schedule> {
  const body = { name: 'tick', workflow_id: 'w', ...spec };
  return expectStatus(await svc.post<Schedule>(path, body), 201);
}

async function read(svc: TestTenant, path: string): Promise<Schedule> {
  return expectStatus(await svc.get<Schedule>(path), 200);
}
