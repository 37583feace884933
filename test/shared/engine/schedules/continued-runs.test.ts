import test from 'ava';

import type { OverlapPolicy } from '../../../../src/shared/domain/schedules/schedule.ts';
import { DIALECTS, openScene } from './schedule-scene.ts';

/* A run and its continuation count as one execution for their schedule. */

const GOES_ON = {
  start_node: 'one',
  nodes: {
    one: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } },
    ask: { kind: { type: 'human_approval', description: 'ok?' } },
  },
  edges: [
    { from: 'one', to: 'one', condition: 'state.n < 5' },
    { from: 'one', to: 'ask', condition: 'state.n >= 5' },
  ],
  continue_as_new: { when: 'state.n < 5' },
};

for (const dialect of DIALECTS) {
  const openAtWork = async (t: Parameters<typeof openScene>[0], overlapPolicy: OverlapPolicy) => {
    const scene = await openScene(t, dialect);
    await scene.register('loop', GOES_ON);
    await scene.create({ workflowId: 'loop', overlapPolicy, input: { n: 0 } });
    await scene.fire(3);
    await scene.settle();
    t.deepEqual(await scene.statuses(), [...Array(4).fill('completed'), 'paused']);
    return scene;
  };

  test(`${dialect}: a fire is skipped while the run that continued is live`, async (t) => {
    const scene = await openAtWork(t, 'skip');
    await scene.fire(2);
    t.like((await scene.find()).counts, { started: 1, skipped: 1 });
    const [live] = (await scene.executions()).filter(({ status }) => status === 'paused');
    const { tenantId, actorId } = scene;
    await scene.engine.cancelExecution({
      tenantId,
      actorId,
      executionId: live?.executionId ?? '',
    });
    await scene.fire(1);
    t.like((await scene.find()).counts, { started: 2, skipped: 1 });
  });

  test(`${dialect}: a fire that waits waits for the run that continued`, async (t) => {
    const scene = await openAtWork(t, 'queue');
    const fireAt = await scene.fire(2);
    t.is((await scene.find()).position.waitingFireAt, fireAt);
    t.like((await scene.find()).counts, { started: 1 });
  });

  test(`${dialect}: the run that continued is cancelled for the next fire`, async (t) => {
    const scene = await openAtWork(t, 'cancel_previous');
    await scene.fire(2);
    t.like((await scene.find()).counts, { started: 2 });
    t.deepEqual((await scene.statuses()).filter((status) => status !== 'completed').toSorted(), [
      'cancelled',
      'running',
    ]);
  });
}
