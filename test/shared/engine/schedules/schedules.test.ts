import test from 'ava';

import { SvcError } from '../../../../src/shared/domain/errors.ts';
import { atOnce } from '../../store/contract/drive.ts';
import { DIALECTS, openScene } from './schedule-scene.ts';

for (const dialect of DIALECTS) {
  test(`${dialect}: a change keeps what it does not name, and the fires to come`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId } = scene;
    const before = await scene.create();
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const changes = { overlapPolicy: 'queue', input: { from: 'change' } } as const;
    const { schedule, nextFires } = await schedules.update({ ...change, changes });
    t.like(schedule, { ...changes, cronExpression: '0 0 1 1 *', workflowId: 'w', revision: 2 });
    t.deepEqual(schedule.position, before.position);
    t.is(schedule.dueAt, before.dueAt);
    t.is(nextFires[0] ?? null, before.position.nextFireAt);
    t.is(nextFires.length, 10);
  });

  test(`${dialect}: one that can no longer be started can be paused, and repaired`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId } = scene;
    await scene.create();
    const state_schema = { type: 'object', required: ['amount'] };
    await scene.register('w', { state_schema, nodes: {} });
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const update = (changes: Parameters<typeof schedules.update>[0]['changes']) =>
      schedules.update({ ...change, changes });
    await update({ paused: true });
    await t.throwsAsync(update({ input: {} }), { message: /does not satisfy the state schema/ });
    const repaired = await update({ input: { amount: 1 }, paused: false });
    t.is(repaired.nextFires.length, 10);
  });

  test(`${dialect}: a new timing counts from now`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId, store } = scene;
    await scene.create();
    await scene.moveTo(await scene.secondsAgo(30));
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const { schedule } = await schedules.update({ ...change, changes: { every: '5m' } });
    t.like(schedule, { cronExpression: null, every: '5m' });
    t.true((schedule.position.nextFireAt ?? '') > (await store.schedules.now()));
    t.is((await scene.firing.round()).found, 0);
    const zone = await schedules.update({ ...change, changes: { cronExpression: '@daily' } });
    t.like(zone.schedule, { cronExpression: '@daily', every: null, timezone: 'Europe/Berlin' });
    t.regex(zone.nextFires[0] ?? '', /T2[23]:00:00\.000Z$/);
  });

  test(`${dialect}: nothing fires in a pause, and nothing of it is made up for`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId, store } = scene;
    await scene.create({ overlapPolicy: 'queue' });
    await scene.fire(5);
    await scene.fire(4);
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const paused = await schedules.update({ ...change, changes: { paused: true } });
    t.deepEqual(paused.nextFires, []);
    // The waiting fire is dropped.
    t.like(paused.schedule, { paused: true, dueAt: null, counts: { started: 1, skipped: 1 } });
    t.is((await scene.firing.round()).found, 0);
    t.is((await scene.firing.round()).dueInMs, null);
    const resumed = await schedules.update({ ...change, changes: { paused: false } });
    t.true((resumed.nextFires[0] ?? '') > (await store.schedules.now()));
    t.is(resumed.schedule.dueAt, resumed.nextFires[0] ?? '');
    t.is((await scene.executions()).length, 1);
  });

  test(`${dialect}: a fire that is being started is not lost to a pause`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId, engine } = scene;
    await scene.create();
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const pausing = scene.openFiring({
      async startExecution(params) {
        await schedules.update({ ...change, changes: { paused: true } });
        return engine.startExecution(params);
      },
    });
    const fireAt = await scene.secondsAgo(1);
    await scene.moveTo(fireAt);
    await pausing.round();
    t.like(await scene.find(), {
      paused: true,
      dueAt: null,
      lastFireAt: fireAt,
      counts: { started: 1 },
      revision: 2,
    });
  });

  test(`${dialect}: a revision that is no longer current changes nothing`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId } = scene;
    await scene.create();
    const change = { tenantId, actorId, schedule: 'yearly', name: null };
    const update = (seconds: number) =>
      schedules
        .update({ ...change, ifRevision: 1, changes: { catchupWindowSecs: seconds } })
        .catch((error: unknown) => error);
    const answers = await atOnce(10, update);
    const refused = answers.filter((answer) => answer instanceof SvcError);
    t.is(refused.length, 9);
    t.true(refused.every(({ status }) => status === 409));
    t.regex(refused[0]?.message ?? '', /^conflict: schedule yearly has revision 2, not 1$/);
  });

  test(`${dialect}: changes without a revision are all made, also while it fires`, async (t) => {
    const scene = await openScene(t, dialect);
    const { schedules, tenantId, actorId } = scene;
    await scene.create();
    await scene.moveTo(await scene.secondsAgo(1));
    const change = { tenantId, actorId, schedule: 'yearly', ifRevision: null, name: null };
    const rounds = scene.firing.round();
    await atOnce(5, (seconds) =>
      schedules.update({ ...change, changes: { catchupWindowSecs: seconds } }),
    );
    await rounds;
    await scene.firing.round();
    t.like(await scene.find(), { revision: 6, counts: { started: 1, missed: 0 } });
    t.is((await scene.executions()).length, 1);
  });
}
