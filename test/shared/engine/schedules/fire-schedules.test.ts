import test from 'ava';

import { fireExecutionId } from '../../../../src/shared/domain/schedules/fire-execution-id.ts';
import { planTurn } from '../../../../src/shared/domain/schedules/plan-turn.ts';
import { StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { atOnce } from '../../store/contract/drive.ts';
import { KEPT_FOR_GOOD, openRetention } from '../retention/retention-scene.ts';
import { DIALECTS, limit, openScene, type ScheduleScene } from './schedule-scene.ts';

for (const dialect of DIALECTS) {
  test(`${dialect}: a fire that is due starts its workflow`, async (t) => {
    const scene = await openScene(t, dialect);
    const { scheduleId } = await scene.create();
    const { found, dueInMs } = await scene.firing.round();
    t.is(found, 0);
    t.true(dueInMs !== null && dueInMs > 0 && dueInMs <= 366 * 86_400_000);
    const fireAt = await scene.fire();
    const [execution] = await scene.executions();
    t.like(execution, { executionId: fireExecutionId({ scheduleId, fireAt }), workflowId: 'w' });
    const { tenantId } = scene;
    const { state } = await scene.engine.readExecution({
      tenantId,
      executionId: execution?.executionId ?? '',
    });
    t.like(state.data, { from: 'clock' });
    const after = await scene.find();
    t.like(after, {
      lastFireAt: fireAt,
      lastExecutionId: execution?.executionId,
      lastError: null,
      counts: { started: 1, failed: 0, missed: 0, skipped: 0 },
    });
    t.is(after.dueAt, after.position.nextFireAt);
    t.true((after.position.nextFireAt ?? '') > (await scene.store.schedules.now()));
    const { items } = await scene.store.audit.list({
      tenantId,
      executionId: execution?.executionId ?? null,
      actorId: null,
      eventType: 'workflow_started',
      limit: 5,
      offset: 0,
    });
    t.deepEqual(
      items.map(({ actorId }) => actorId),
      ['schedule:yearly'],
    );
    t.deepEqual([...scene.counts], [['started', 1]]);
  });

  test(`${dialect}: each fire is started once by twenty rounds at once in five processes`, async (t) => {
    const scene = await openScene(t, dialect);
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      await scene.create({ overlapPolicy: 'allow', catchupWindowSecs: 600 }, name);
      await scene.create(
        { overlapPolicy: 'allow', catchupWindowSecs: 600, every: '1m', cronExpression: null },
        `${name} every`,
      );
      await scene.moveTo(await scene.secondsAgo(1), name);
      await scene.moveTo(await scene.secondsAgo(301), `${name} every`);
    }
    await scene.create({ overlapPolicy: 'skip' }, 'busy');
    await scene.fire(3, 'busy');
    await scene.moveTo(await scene.secondsAgo(1), 'busy');
    const firings = [1, 2, 3, 4, 5].map(() => scene.openFiring());
    for (;;) {
      const rounds = await atOnce(20, async (index) => firings[index % 5]?.round());
      if (rounds.every((round) => round?.found === 0)) break;
    }
    const executions = await scene.executions();
    const counted = [];
    for (const name of names.flatMap((one) => [one, `${one} every`])) {
      counted.push((await scene.find(name)).counts);
    }
    const started = counted.map((counts) => counts.started);
    t.deepEqual(
      started.filter((_, index) => index % 2 === 0),
      [1, 1, 1],
    );
    // Five or six minutes, and the instant to which the test moved it.
    t.true(
      started.every((count, index) => index % 2 === 0 || count === 6 || count === 7),
      started.join(),
    );
    t.like(await scene.find('busy'), { counts: { started: 1, skipped: 1 } });
    t.is(
      executions.length,
      started.reduce((sum, count) => sum + count, 1),
    );
    t.is(scene.counts.get('started'), executions.length);
    t.deepEqual(scene.troubles, []);
  });

  test(`${dialect}: a process that dies before it starts loses no fire`, async (t) => {
    const scene = await openScene(t, dialect);
    const fireAt = await scene.secondsAgo(1);
    await decideOnly(scene, fireAt);
    t.is((await scene.firing.round()).found, 0);
    await scene.lapse();
    await scene.firing.round();
    t.like(await scene.find(), { lastFireAt: fireAt, counts: { started: 1 } });
    t.is((await scene.executions()).length, 1);
  });

  test(`${dialect}: a process that dies after the start starts no second one`, async (t) => {
    const scene = await openScene(t, dialect);
    const fireAt = await scene.secondsAgo(1);
    const start = await decideOnly(scene, fireAt);
    // It takes the tenant's last place, which must not make the second attempt fail.
    await limit(scene, scene.tenantId, 1);
    const { executionId } = await scene.engine.startExecution(start);
    await scene.lapse();
    await scene.firing.round();
    const after = await scene.find();
    t.like(after, { lastExecutionId: executionId, lastError: null, counts: { started: 1 } });
    t.is((await scene.executions()).length, 1);
  });

  test(`${dialect}: a fire whose execution was removed meanwhile starts no second one`, async (t) => {
    const scene = await openScene(t, dialect);
    const start = await decideOnly(scene, await scene.secondsAgo(1));
    const { executionId } = await scene.engine.startExecution(start);
    await scene.engine.cancelExecution({ ...start, executionId });
    const retention = await openRetention(t, dialect, scene.database);
    await retention.seal();
    await retention.age(31);
    const defaults = { ...KEPT_FOR_GOOD, cancelled: 30 };
    t.is((await retention.run({ defaults })).executions, 1);
    await scene.lapse();
    await scene.firing.round();
    t.like(await scene.find(), { lastExecutionId: executionId, lastError: null });
    t.like((await scene.find()).counts, { started: 1, failed: 0 });
    t.deepEqual(await scene.executions(), []);
  });

  test(`${dialect}: a start whose answer is lost is made out, not made again`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create();
    const losing = scene.openFiring({
      async startExecution(params) {
        await scene.engine.startExecution(params);
        throw new StoreUnavailableError('the connection broke', { ambiguous: true });
      },
    });
    await scene.moveTo(await scene.secondsAgo(1));
    await t.throwsAsync(losing.round(), { message: 'the connection broke' });
    t.like(await scene.find(), { lastError: null, counts: { started: 0, failed: 0 } });
    await scene.lapse();
    await scene.firing.round();
    t.like(await scene.find(), { counts: { started: 1, failed: 0 } });
    t.is((await scene.executions()).length, 1);
  });

  test(`${dialect}: an unexpected error is tried twice, and then the next fire continues`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create();
    const broken = scene.openFiring({ startExecution: () => Promise.reject(new Error('a bug')) });
    await scene.moveTo(await scene.secondsAgo(1));
    await t.throwsAsync(broken.round(), { message: 'a bug' });
    await scene.lapse();
    t.is((await broken.round()).found, 1);
    t.like(await scene.find(), { lastError: 'internal error', counts: { failed: 1 } });
    t.is(scene.troubles.length, 1);
    await scene.fire();
    t.like(await scene.find(), { lastError: null, counts: { failed: 1, started: 1 } });
  });

  test(`${dialect}: a refused fire is reported, and the next one continues`, async (t) => {
    const scene = await openScene(t, dialect);
    const { tenantId, actorId, engine, store } = scene;
    const { scheduleId: _, ...made } = await scene.create();
    await store.schedules.create({
      ...made,
      scheduleId: '01900000-0000-7000-8000-000000000001',
      name: 'gone',
      workflowId: 'gone',
      nextFireAt: null,
      actorId,
      schedulesMax: 10,
    });
    await scene.fire(1, 'gone');
    t.like(await scene.find('gone'), {
      lastError: 'not found: workflow gone',
      lastExecutionId: null,
      counts: { failed: 1, started: 0 },
    });
    const state_schema = { type: 'object', required: ['amount'] };
    await scene.register('w', { state_schema, nodes: {} });
    await scene.fire();
    t.regex((await scene.find()).lastError ?? '', /^bad request: input does not satisfy/);
    await scene.register('w');
    await engine.startExecution({
      tenantId,
      actorId,
      workflowId: 'w',
      workflowVersion: null,
      input: {},
      priority: 5,
      idempotencyKey: null,
    });
    await limit(scene, tenantId, 1);
    await scene.fire();
    t.regex((await scene.find()).lastError ?? '', /^limit exceeded/);
    await limit(scene, tenantId, 2);
    await scene.fire();
    t.like(await scene.find(), { lastError: null, counts: { failed: 2, started: 1 } });
    t.is(scene.counts.get('failed'), 3);
    t.deepEqual(scene.troubles, []);
  });

  test(`${dialect}: a fire whose workflow refuses it is skipped, and the schedule says why`, async (t) => {
    const scene = await openScene(t, dialect);
    const { engine, tenantId, actorId } = scene;
    const ask = { kind: 'human_approval', description: 'ok?' };
    const concurrency = { limit: 1, when_full: 'refuse' };
    await scene.register('w', { concurrency, nodes: { ask } });
    await scene.create({ overlapPolicy: 'allow' });
    await scene.fire(2);
    const [first] = await scene.executions();
    await scene.fire();
    const after = await scene.find();
    t.regex(after.lastError ?? '', /^conflict: workflow w refuses this start/);
    t.like(after, {
      lastExecutionId: first?.executionId,
      counts: { started: 1, skipped: 1, failed: 0 },
    });
    t.is((await scene.executions()).length, 1);
    t.deepEqual(Object.fromEntries(scene.counts), { started: 1, skipped: 1 });
    await engine.cancelExecution({ tenantId, actorId, executionId: first?.executionId ?? '' });
    await scene.fire();
    t.like(await scene.find(), { lastError: null, counts: { started: 2, skipped: 1 } });
  });

  test(`${dialect}: a suspended tenant has nothing started`, async (t) => {
    const scene = await openScene(t, dialect);
    const { tenantId, actorId, engine, store } = scene;
    await scene.create();
    await store.tenants.create({ tenantId, name: 'x', actorId });
    const changes = { name: null, policy: null, limits: null };
    await engine.updateTenant({ tenantId, actorId, changes: { ...changes, status: 'suspended' } });
    await scene.fire();
    const after = await scene.find();
    t.like(after, { lastError: 'the tenant is suspended', counts: { failed: 1 } });
    t.is((await scene.firing.round()).found, 0);
    await engine.updateTenant({ tenantId, actorId, changes: { ...changes, status: 'active' } });
    await scene.fire();
    t.is((await scene.executions()).length, 1);
  });

  test(`${dialect}: skip and allow, while the last execution is live`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create({ overlapPolicy: 'skip' });
    await scene.create({ overlapPolicy: 'allow' }, 'eager');
    for (const name of ['yearly', 'eager']) {
      for (const seconds of [3, 2]) await scene.fire(seconds, name);
    }
    t.like(await scene.find(), { counts: { started: 1, skipped: 1 } });
    t.like(await scene.find('eager'), { counts: { started: 2, skipped: 0 } });
    const { tenantId, actorId, engine } = scene;
    const { lastExecutionId } = await scene.find();
    await engine.cancelExecution({ tenantId, actorId, executionId: lastExecutionId ?? '' });
    await scene.fire();
    t.like(await scene.find(), { counts: { started: 2, skipped: 1 } });
  });

  test(`${dialect}: with queue one fire waits, until the execution has ended`, async (t) => {
    const scene = await openScene(t, dialect);
    const { tenantId, actorId, engine } = scene;
    await scene.create({ overlapPolicy: 'queue' });
    await scene.fire(5);
    const second = await scene.fire(4);
    await scene.fire(3);
    const waiting = await scene.find();
    t.like(waiting, { counts: { started: 1, skipped: 1 } });
    t.is(waiting.position.waitingFireAt, second);
    t.is((await scene.firing.round()).found, 0);
    const { lastExecutionId } = waiting;
    await engine.cancelExecution({ tenantId, actorId, executionId: lastExecutionId ?? '' });
    // The hint about the end comes with the next task, long before the next poll.
    await new Promise((resolve) => setImmediate(resolve));
    await scene.firing.round();
    const after = await scene.find();
    t.like(after, { lastFireAt: second, counts: { started: 2, skipped: 1 } });
    t.is(after.position.waitingFireAt, null);
    t.deepEqual(await scene.statuses(), ['cancelled', 'paused']);
  });

  test(`${dialect}: a fire that waits is found without a hint, too`, async (t) => {
    const scene = await openScene(t, dialect);
    const { tenantId, actorId, engine } = scene;
    await scene.create({ overlapPolicy: 'queue' });
    await scene.fire(5);
    await scene.fire(4);
    const { lastExecutionId } = await scene.find();
    await engine.cancelExecution({ tenantId, actorId, executionId: lastExecutionId ?? '' });
    await scene.lapse();
    await scene.openFiring().round();
    t.like(await scene.find(), { counts: { started: 2 } });
  });

  test(`${dialect}: cancel_previous cancels the last one only`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create({ overlapPolicy: 'cancel_previous' });
    for (const seconds of [5, 4, 3]) await scene.fire(seconds);
    t.deepEqual(await scene.statuses(), ['cancelled', 'cancelled', 'paused']);
    t.like(await scene.find(), { counts: { started: 3, skipped: 0 } });
  });

  test(`${dialect}: a schedule deleted while it fires is gone, and harms nobody`, async (t) => {
    const scene = await openScene(t, dialect);
    const { tenantId, actorId, schedules } = scene;
    await scene.create();
    const removing = scene.openFiring({
      async startExecution(params) {
        await schedules.remove({ tenantId, actorId, schedule: 'yearly' });
        return scene.engine.startExecution(params);
      },
    });
    await scene.moveTo(await scene.secondsAgo(1));
    t.is((await removing.round()).found, 1);
    t.is(scene.counts.size, 0);
    t.is((await scene.executions()).length, 1);
    t.is((await scene.firing.round()).found, 0);
  });

  test(`${dialect}: missed fires are made up for within the window, in order`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create({
      cronExpression: '* * * * *',
      catchupWindowSecs: 150,
      overlapPolicy: 'allow',
    });
    await scene.moveTo(await scene.secondsAgo(600));
    while ((await scene.firing.round()).found > 0);
    const { counts, lastFireAt } = await scene.find();
    // A minute may begin while this runs.
    t.true(counts.started >= 2 && counts.started <= 4, `${counts.started}`);
    t.true(counts.missed >= 7 && counts.missed <= 9, `${counts.missed}`);
    t.is((await scene.executions()).length, counts.started);
    t.true(Date.parse(await scene.store.schedules.now()) - Date.parse(lastFireAt ?? '') < 61_000);
  });
}

/** Records the start of a fire, like a process that dies directly afterwards. */
async function decideOnly(scene: ScheduleScene, fireAt: string) {
  const { scheduleId, tenantId, workflowId, workflowVersion, input } = await scene.create();
  await scene.moveTo(fireAt);
  const [due] = await scene.store.schedules.listDue({ limit: 1, early: [] });
  if (due === undefined) throw new Error('nothing is due');
  const { turn } = due.schedule;
  const { start, ...planned } = planTurn(due);
  if (start === null) throw new Error('no execution is due to start');
  await scene.store.schedules.turn({ ...planned, scheduleId, turn });
  const { executionId } = start;
  const subject = { tenantId, workflowId, workflowVersion, input, executionId };
  return { ...subject, actorId: 'schedule:yearly', priority: 5, idempotencyKey: null };
}
