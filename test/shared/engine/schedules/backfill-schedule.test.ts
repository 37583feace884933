import test from 'ava';

import { atOnce } from '../../store/contract/drive.ts';
import { DIALECTS, limit, openScene } from './schedule-scene.ts';

const TIMES = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' };
const HOURLY = { cronExpression: null, every: '1h' };

for (const dialect of DIALECTS) {
  test(`${dialect}: five who backfill at once start each fire once`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create(HOURLY);
    const results = await atOnce(5, () => backfill());
    const outcomes = results.flatMap(({ fires }) => fires.map(({ outcome }) => outcome));
    t.is(outcomes.filter((outcome) => outcome === 'started').length, 48);
    t.is(outcomes.length, 240);
    t.is((await scene.executions()).length, 48);
    t.like(await scene.find(), { lastFireAt: null, counts: { started: 0 } });

    function backfill() {
      const { tenantId, actorId } = scene;
      const page = { limit: 1_000, dryRun: false };
      return scene.engine.backfillSchedule({
        tenantId,
        actorId,
        schedule: 'yearly',
        ...TIMES,
        ...page,
      });
    }
  });

  test(`${dialect}: a limit stops a backfill, which continues where it stopped`, async (t) => {
    const scene = await openScene(t, dialect);
    await scene.create(HOURLY);
    const { tenantId, actorId } = scene;
    const backfill = (from: string) =>
      scene.engine.backfillSchedule({
        tenantId,
        actorId,
        schedule: 'yearly',
        from,
        to: TIMES.to,
        limit: 1_000,
        dryRun: false,
      });
    await limit(scene, tenantId, 30);
    const first = await backfill(TIMES.from);
    t.regex(first.stoppedBy ?? '', /^limit exceeded/);
    t.true(first.fires.length >= 20);
    const { nextFrom } = first;
    t.truthy(nextFrom);
    t.is((await scene.executions()).length, 30);
    // Nothing can start, and nothing has started in this request.
    await limit(scene, tenantId, 1);
    await t.throwsAsync(backfill('2026-01-02T23:00:00.000Z'), { message: /^limit exceeded/ });
    await limit(scene, tenantId, 100);
    const rest = await backfill(nextFrom ?? '');
    t.like(rest, { nextFrom: null, stoppedBy: null });
    t.is((await scene.executions()).length, 48);
  });
}
