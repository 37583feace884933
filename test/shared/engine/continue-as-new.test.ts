import test from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { CALLER, openScene, parentOf } from './families/child-scene.ts';

const COUNT = { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } };

function loop(rounds: number, continue_as_new: JsonObject): JsonObject {
  return {
    start_node: 'count',
    nodes: { count: COUNT, after: { kind: 'pass' }, never: { kind: 'pass' } },
    edges: [
      { from: 'count', to: 'count', condition: `state.n < ${rounds}` },
      { from: 'count', to: 'after', condition: `state.n >= ${rounds}` },
      { from: 'after', to: 'never', condition: 'state.never' },
    ],
    continue_as_new,
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  async function runsFrom(
    svc: Awaited<ReturnType<typeof openScene>>,
    first: ExecutionId,
  ): Promise<ExecutionId[]> {
    const runs: ExecutionId[] = [];
    for (let next: ExecutionId | null = first; next !== null;) {
      runs.push(next);
      next = (await svc.read(next)).state.continuedAs;
    }
    return runs;
  }

  test(`${dialect}: a run continues as another where its history is long`, async (t) => {
    const svc = await openScene(t, dialect);
    const first = await svc.start(loop(500, { after_events: 300 }), { n: 0, who: 'Ada' });
    await svc.settle();
    const runs = await runsFrom(svc, first);
    t.true(runs.length >= 3);
    for (const [at, id] of runs.entries()) {
      const { row, state } = await svc.read(id);
      t.is(row.status, 'completed');
      t.true(row.lastSequence <= 300 + 3, `${row.lastSequence} events`);
      t.deepEqual(state.input, { n: 0, who: 'Ada' });
      t.is(state.continuedFrom, runs[at - 1] ?? null);
    }
    const last = runs.at(-1) ?? first;
    t.deepEqual((await svc.read(last)).data, { n: 500, who: 'Ada' });
    const story = await svc.story(last);
    t.is(story.filter((line) => line === 'NodeSkipped never').length, 1);
    t.false(story.includes('NodeSkipped count'));
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a condition decides when a run continues as new, and events wait for the next`, async (t) => {
    const svc = await openScene(t, dialect);
    const wait = (key: string) => ({
      kind: { type: 'wait', condition: 'external_event', correlation_key: key },
      output_key: key,
    });
    const id = await svc.start(
      {
        start_node: 'first',
        nodes: { first: wait('first'), second: wait('second') },
        edges: [{ from: 'first', to: 'second' }],
        continue_as_new: { when: 'state.first.go_on' },
        timeouts: { workflow_timeout: 3600 },
      },
      {},
    );
    await svc.settle();
    await svc.send(id, 'second', { early: true });
    await svc.send(id, 'first', { go_on: true });
    await svc.settle();
    const [, next = id, ...more] = await runsFrom(svc, id);
    t.deepEqual(more, []);
    t.like(await svc.read(next), {
      status: 'completed',
      data: { first: { go_on: true }, second: { early: true } },
    });
    t.deepEqual(await svc.story(next), [
      'WorkflowStarted',
      'TimerStarted',
      'NodeScheduled second',
      'ExternalEventWaiting second',
      'NodeCompleted second',
      'WorkflowCompleted',
    ]);
    t.is(await svc.store.timers.nextDueInMs(), null);
    t.like(await svc.send(id, 'late', {}), { accepted: false });
    const cancel = svc.engine.cancelExecution({ ...CALLER, executionId: id });
    await t.throwsAsync(cancel, { message: /is completed/ });
  });

  test(`${dialect}: a parent waits for the last run of its child`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', loop(200, { after_events: 150 }));
    const id = await svc.start(parentOf({ output_mapping: { total: '$output.n' } }), { n: 0 });
    await svc.settle();
    t.like(await svc.read(id), { status: 'completed', data: { total: 200 } });
    const story = await svc.story(id);
    t.is(story.filter((line) => line === 'ChildWorkflowCompleted sub').length, 1);
    t.true((await svc.children(id)).length > 1);
  });

  test(`${dialect}: a cancel of the parent reaches the run that is under way`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', {
      start_node: 'count',
      nodes: { count: COUNT, wait: { kind: { type: 'wait', condition: 'external_event' } } },
      edges: [
        { from: 'count', to: 'count', condition: 'state.n < 200' },
        { from: 'count', to: 'wait', condition: 'state.n >= 200' },
      ],
      continue_as_new: { after_events: 150 },
    });
    const id = await svc.start(parentOf(), { n: 0 });
    await svc.settle();
    const last = await svc.child(id);
    t.is(last.status, 'paused');
    await svc.cancel(id);
    await svc.settle();
    t.is((await svc.read(last.executionId)).status, 'cancelled');
    t.deepEqual(await svc.store.timers.listDue({ limit: 10 }), []);
  });
}
