import type { ModelUse } from '../../../../../src/shared/store/commit.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, start } from '../drive.ts';
import { makeEvent, makeExecutionId, makePlan } from '../make.ts';

const use = (inputTokens: number, costUsd = 0): ModelUse => ({
  inputTokens,
  outputTokens: 1,
  costUsd,
});

export function usageCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an execution that used nothing has its row, an unknown one none', async (t, { store }) => {
    const { executionId } = await start(store);
    const none = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
    t.like(await store.executions.usage(executionId), [{ executionId, ...none }]);
    t.deepEqual(await store.executions.usage(makeExecutionId()), []);
  });

  check('use counts for the execution and all it is a descendant of', async (t, { store }) => {
    const top = await start(store);
    const { tenantId } = top;
    const child = (parent: typeof top) =>
      start(store, { tenantId, create: { parentExecutionId: parent.executionId } });
    const middle = await child(top);
    const low = await child(middle);
    await commitOne(store, makePlan(low, { events: [makeEvent()], charge: use(10, 0.5) }));
    await commitOne(store, makePlan(middle, { events: [makeEvent()], charge: use(5) }));
    const rows = await store.executions.usage(low.executionId);
    t.deepEqual(
      rows.map((row) => [row.executionId, row.inputTokens, row.outputTokens, row.costUsd]),
      [
        [low.executionId, 10, 1, 0.5],
        [middle.executionId, 15, 2, 0.5],
        [top.executionId, 15, 2, 0.5],
      ],
    );
  });

  check('a plan that is refused counts nothing', async (t, { store }) => {
    const execution = await start(store);
    const plan = makePlan(execution, { expectedSequence: 9, charge: use(10) });
    t.like(await judge(store, plan), { accepted: false, reason: 'moved' });
    t.like(await store.executions.usage(execution.executionId), [{ inputTokens: 0 }]);
  });

  check('the usage of many children at once is all counted', async (t, { store }) => {
    const top = await start(store);
    const { tenantId } = top;
    const create = { parentExecutionId: top.executionId };
    const children = await Promise.all(
      Array.from({ length: 20 }, () => start(store, { tenantId, create })),
    );
    await atOnce(20, async (index) => {
      const child = children[index] ?? top;
      await commitOne(store, makePlan(child, { events: [makeEvent()], charge: use(1) }));
    });
    t.like(await store.executions.usage(top.executionId), [{ inputTokens: 20, outputTokens: 20 }]);
  });
}
