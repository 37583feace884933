import test from 'ava';

import { type NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { emptyCommit } from '../../../../src/shared/store/commit.ts';
import { CALLER, openScene, parentOf } from './child-scene.ts';

const GREET = {
  nodes: { greet: { kind: { type: 'pass', output: { said: { expr: '"hi " + state.name' } } } } },
};
const WAITING = { nodes: { w: { kind: { type: 'wait', condition: 'external_event' } } } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a subgraph runs another workflow and takes what it came to`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', GREET);
    const id = await svc.start(
      parentOf(
        { output_mapping: { greeting: '$output.said' } },
        { input_mapping: { name: '$.who' } },
      ),
      { who: 'Ada' },
    );
    await svc.settle();
    const { status, data } = await svc.read(id);
    t.deepEqual([status, data], ['completed', { who: 'Ada', greeting: 'hi Ada' }]);
    t.deepEqual(await svc.story(id), [
      'WorkflowStarted',
      'NodeScheduled sub',
      'ChildWorkflowStarted sub',
      'ChildWorkflowCompleted sub',
      'NodeCompleted sub',
      'WorkflowCompleted',
    ]);
    const [child, ...more] = await svc.children(id);
    t.deepEqual([child?.status, child?.workflowId, more], ['completed', 'child', []]);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: while the child is under way the parent says so`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', WAITING);
    const id = await svc.start(parentOf({}, { output_key: 'sub' }));
    await svc.settle();
    const { status, waitingOn } = await svc.read(id);
    const child = await svc.child(id);
    t.is(status, 'running');
    t.like(waitingOn[0], { nodeId: 'sub', waitingFor: 'child', childId: child.executionId });
    t.is((await svc.read(child.executionId)).row.parentExecutionId, id);
    await svc.send(child.executionId, 'w', { is: 1 });
    await svc.settle();
    t.like(await svc.read(id), { status: 'completed', data: { sub: {} } });
  });

  test(`${dialect}: a cancel reaches children and their children`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('grandchild', WAITING);
    await svc.register('child', parentOf({ workflow_ref: 'grandchild' }));
    const id = await svc.start(parentOf());
    await svc.settle();
    const child = await svc.child(id);
    const grandchild = await svc.child(child.executionId);
    t.is(grandchild.status, 'paused');
    await svc.cancel(id);
    await svc.settle();
    for (const each of [id, child.executionId, grandchild.executionId]) {
      t.is((await svc.read(each)).status, 'cancelled');
    }
    t.deepEqual(await svc.store.timers.listDue({ limit: 10 }), []);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a child that fails, fails its node, unless that says otherwise`, async (t) => {
    const broken: NodeOutcome = { ok: false, error: 'no', errorClass: 'x', final: true };
    const svc = await openScene(t, dialect, { run: async () => broken });
    await svc.register('child', { nodes: { a: { kind: 'call' } } });
    const failing = await svc.start(parentOf());
    const going = await svc.start(
      parentOf({ on_child_failure: 'complete' }, { output_key: 'sub' }),
    );
    await svc.settle();
    const child = await svc.child(going);
    t.like(await svc.read(failing), { status: 'failed' });
    t.regex((await svc.read(failing)).row.error ?? '', /child execution exec_.* failed: node a/);
    t.like((await svc.read(going)).data['sub'], {
      status: 'failed',
      error_class: 'child_failed',
      execution_id: child.executionId,
    });
  });

  test(`${dialect}: a retry policy of the node starts another child`, async (t) => {
    let runs = 0;
    const svc = await openScene(t, dialect, {
      run: async () => {
        runs += 1;
        return runs < 3
          ? { ok: false, error: 'no', errorClass: 'x', final: true }
          : { ok: true, output: {}, statePatch: { done: true } };
      },
    });
    await svc.register('child', { nodes: { a: { kind: 'call' } } });
    const retry_policy = { max_attempts: 3, initial_delay: 0 };
    const id = await svc.start(
      parentOf({ output_mapping: '$output.done' }, { retry_policy, output_key: 'done' }),
    );
    await svc.settle();
    t.like(await svc.read(id), { status: 'completed', data: { done: true } });
    t.deepEqual(
      (await svc.children(id)).map(({ status }) => status),
      ['failed', 'failed', 'completed'],
    );
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a workflow that runs itself comes to an end`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', parentOf());
    const id = await svc.start(parentOf());
    await svc.settle();
    t.is((await svc.read(id)).status, 'failed');
    let depth = 0;
    for (let [next] = await svc.children(id); next !== undefined; depth += 1) {
      [next] = await svc.children(next.executionId);
    }
    t.is(depth, 32);
    t.regex((await svc.read(id)).row.error ?? '', /nested in at most 32 others/);
  });

  test(`${dialect}: the time limit of the parent ends the child`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', WAITING);
    const id = await svc.start({ ...parentOf(), timeouts: { workflow_timeout: 3600 } });
    await svc.settle();
    await svc.opened.age({ table: 'timers', columns: ['due_at'], byMs: 3_600_000 });
    await svc.settle();
    t.is((await svc.read(id)).row.error, 'workflow timed out');
    t.is((await svc.child(id)).status, 'cancelled');
    t.is(await svc.store.timers.nextDueInMs(), null);
  });

  test(`${dialect}: trouble with one family is none of the others`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', WAITING);
    const [broken, other] = [await svc.start(parentOf()), await svc.start(parentOf())];
    await svc.settle();
    const bogus = { executionId: null, name: 'child:nobody', nodeId: 'sub', visit: 0 } as const;
    await svc.store.executions.commit([
      {
        ...emptyCommit({ executionId: broken, tenantId: CALLER.tenantId }),
        startsTimers: [{ ...bogus, when: { delayMs: 0 }, purpose: 'child_ended' }],
      },
    ]);
    await svc.send((await svc.child(other)).executionId, 'w', {});
    await svc.settle();
    t.is((await svc.read(other)).status, 'completed');
    t.true(svc.troubles.length > 0);
  });
}
