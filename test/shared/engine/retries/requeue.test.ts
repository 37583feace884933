import test from 'ava';

import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

test('an item of a node that has just failed permanently is not put back on its queue', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const host = openTestEngine({ store });
  const executionId = await host.start({
    nodes: {
      a: { kind: { type: 'python_fn', module: 'm', function: 'f' }, retry_policy: 'no_retry' },
    },
    edges: [],
  });
  const [item] = await host.claim();
  if (item === undefined) throw new Error('no work');
  const { workItemId } = item.record;
  await host.fail(item);
  // The failure is recorded, and not decided yet.
  await t.throwsAsync(
    host.engine.requeueWorkItem({ tenantId: TENANT, workItemId, actorId: 'token:ops' }),
  );
  t.deepEqual(await host.claim(), []);
  await host.settle();
  t.is((await host.story(executionId)).at(-1), 'WorkflowFailed');
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an item of an ended execution is refused, and no history is read`, async (t) => {
    const { store: whole, close } = await openTestStore(dialect);
    t.teardown(close);
    const loads: string[] = [];
    const store: Store = {
      ...whole,
      executions: {
        ...whole.executions,
        load(executionId, tenantId) {
          loads.push(executionId);
          return whole.executions.load(executionId, tenantId);
        },
      },
    };
    const host = openTestEngine({ store });
    const executionId = await host.start({
      nodes: {
        a: { kind: { type: 'python_fn', module: 'm', function: 'f' }, retry_policy: 'no_retry' },
      },
    });
    const [item] = await host.claim();
    if (item === undefined) throw new Error('no work');
    const { workItemId } = item.record;
    await host.fail(item);
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowFailed');
    loads.length = 0;
    await t.throwsAsync(
      host.engine.requeueWorkItem({ tenantId: TENANT, workItemId, actorId: 'token:ops' }),
      { message: /has ended; start the workflow again$/ },
    );
    t.deepEqual(loads, []);
  });
}
