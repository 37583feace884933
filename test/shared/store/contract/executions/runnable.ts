import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, start, type Started } from '../drive.ts';
import { makeEvent, makePlan } from '../make.ts';

export function runnableCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a marked execution is listed under its shard until cleared', async (t, { store }) => {
    const execution = await start(store, { create: { shard: 41 }, changes: { runnable: 'mark' } });
    t.deepEqual(await listOwn(store, [execution], [40, 41]), [execution]);
    t.deepEqual(await listOwn(store, [execution], [40, 42]), []);
    t.deepEqual(await listOwn(store, [execution], []), []);
    await commitOne(store, makePlan(execution, { runnable: 'keep', events: [makeEvent()] }));
    t.deepEqual(await listOwn(store, [execution], [41]), [execution]);
    await commitOne(store, makePlan(execution, { runnable: 'clear' }));
    t.deepEqual(await listOwn(store, [execution], [41]), []);
    await commitOne(store, makePlan(execution, { runnable: 'clear' }));
  });

  check('the list says the shard', async (t, { store }) => {
    const { executionId } = await start(store, {
      create: { shard: 43 },
      changes: { runnable: 'mark' },
    });
    t.deepEqual(await store.runnable.list({ shards: [43], limit: 10 }), [
      { executionId, shard: 43 },
    ]);
  });

  check('an execution that was not marked is not listed', async (t, { store }) => {
    const execution = await start(store, { create: { shard: 44 } });
    t.deepEqual(await listOwn(store, [execution], [44]), []);
  });

  check('the oldest mark comes first, and marking again keeps the place', async (t, { store }) => {
    const executions: Started[] = [];
    for (const shard of [45, 46, 45]) {
      executions.push(await start(store, { create: { shard }, changes: { runnable: 'mark' } }));
    }
    const [first] = executions;
    if (first === undefined) throw new Error('nothing was started');
    await commitOne(store, makePlan(first, { runnable: 'mark', events: [makeEvent()] }));
    t.deepEqual(await listOwn(store, executions, [45, 46]), executions);
    t.deepEqual(await store.runnable.list({ shards: [45, 46], limit: 2 }), [
      { executionId: executions[0]?.executionId, shard: 45 },
      { executionId: executions[1]?.executionId, shard: 46 },
    ] as Awaited<ReturnType<Store['runnable']['list']>>);
    await commitOne(store, makePlan(first, { runnable: 'clear' }));
    await commitOne(store, makePlan(first, { runnable: 'mark' }));
    t.deepEqual(await listOwn(store, executions, [45, 46]), [...executions.slice(1), first]);
  });

  check('an execution that has ended is not runnable, with any plan', async (t, { store }) => {
    for (const runnable of ['mark', 'keep', 'clear'] as const) {
      for (const expectedSequence of [null, 1]) {
        const execution = await start(store, {
          create: { shard: 47 },
          changes: { runnable: 'mark' },
        });
        const end = makePlan(execution, { expectedSequence, status: 'completed', runnable });
        await commitOne(store, end);
        t.deepEqual(await listOwn(store, [execution], [47]), []);
      }
    }
  });

  check('a fact that comes while a decision is made keeps its mark', async (t, { store }) => {
    for (let round = 0; round < 20; round += 1) {
      const execution = await start(store, {
        create: { shard: 48 },
        changes: { runnable: 'mark' },
      });
      const [decision, fact] = await Promise.all([
        judge(
          store,
          makePlan(execution, { expectedSequence: 1, events: [makeEvent()], runnable: 'clear' }),
        ),
        judge(store, makePlan(execution, { events: [makeEvent()], runnable: 'mark' })),
      ]);
      t.true(fact.accepted);
      t.deepEqual(await listOwn(store, [execution], [48]), [execution]);
      t.true(decision.accepted || decision.reason === 'moved');
    }
  });

  check('twenty marks make one', async (t, { store }) => {
    const execution = await start(store, { create: { shard: 49 } });
    await atOnce(20, () =>
      commitOne(store, makePlan(execution, { runnable: 'mark', events: [makeEvent()] })),
    );
    t.deepEqual(await listOwn(store, [execution], [49]), [execution]);
  });
}

async function listOwn(
  store: Store,
  executions: readonly Started[],
  shards: readonly number[],
): Promise<readonly Started[]> {
  const listed = await store.runnable.list({ shards, limit: 1000 });
  return listed.flatMap(({ executionId }) =>
    executions.filter((execution) => execution.executionId === executionId),
  );
}
