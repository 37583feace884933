import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ForkAt } from '../../../../src/shared/engine/executions/fork/find-fork-point.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { KEPT_FOR_GOOD, openRetention } from './retention-scene.ts';

/* A fork has what it carries in its own history, so it outlives its original. */

const by = { tenantId: TENANT, actorId: 'token:ops' };
const THIRTY = { defaults: { ...KEPT_FOR_GOOD, completed: 30, failed: 30, cancelled: 30 } };
const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: 'no_retry',
  output_key: 'made',
};
const CHAIN: JsonObject = {
  start_node: 'a',
  nodes: { a: WORKER, b: { ...WORKER, output_key: 'last' } },
  edges: [{ from: 'a', to: 'b' }],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a fork continues, and is forked, after retention removed its original`, async (t) => {
    const database = await openTestStore(dialect);
    t.teardown(database.close);
    const { seal, age, run } = await openRetention(t, dialect, database);
    const svc = openTestEngine({ store: database.store });
    const forkAt = (executionId: string, at: ForkAt) =>
      svc.engine.forkExecution({
        ...by,
        executionId,
        at,
        statePatch: null,
        revision: 'same',
        idempotencyKey: null,
      });
    const atB: ForkAt = { nodeId: 'b', visit: null, items: 'all' };
    const read = (executionId: string) =>
      svc.engine.readExecution({ tenantId: TENANT, executionId });
    const work = async () => {
      await svc.complete((await svc.claim())[0]);
      await svc.settle();
    };

    const original = await svc.start(CHAIN);
    await svc.settle();
    await work();
    await work();
    t.is((await read(original)).row.status, 'completed');
    const { executionId: fork, sequence } = await forkAt(original, atB);
    await svc.settle();
    const before = await read(fork);
    await seal();
    await age(31);
    t.like(await run(THIRTY), { executions: 1 });

    const gone = { message: new RegExp(original) };
    await t.throwsAsync(read(original), gone);
    await t.throwsAsync(forkAt(original, atB), gone);
    await t.throwsAsync(
      svc.engine.listForks({ ...by, executionId: original, after: null, limit: 10 }),
      gone,
    );
    const after = await read(fork);
    t.deepEqual(after.state.data, before.state.data);
    t.deepEqual(after.state.forkedFrom, {
      executionId: original,
      sequence,
      nodeId: 'b',
    });

    const second = await forkAt(fork, atB);
    await svc.settle();
    await work();
    await work();
    for (const id of [fork, second.executionId]) {
      const { row, state } = await read(id);
      t.is(row.status, 'completed');
      t.deepEqual(Object.keys(state.data), ['made', 'last']);
    }
    t.deepEqual(svc.troubles, []);
  });
}
