import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { start } from '../drive.ts';
import { makeExecutionId, makeTenantId } from '../make.ts';

export function checkpointCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('the last checkpoint before an event is found', async (t, { store }) => {
    const execution = await start(store);
    const other = await start(store, { tenantId: execution.tenantId });
    const lastBefore = (sequence: number) =>
      store.checkpoints.lastBefore({ ...execution, sequence });
    t.is(await lastBefore(1_000), null);
    for (const sequence of [4, 2, 8]) {
      await store.checkpoints.keep({ ...execution, sequence, body: `after ${sequence}` });
    }
    await store.checkpoints.keep({ ...other, sequence: 5, body: 'of another' });
    t.is(await lastBefore(2), null);
    t.deepEqual(await lastBefore(3), { sequence: 2, body: 'after 2' });
    t.deepEqual(await lastBefore(8), { sequence: 4, body: 'after 4' });
    t.deepEqual(await lastBefore(9), { sequence: 8, body: 'after 8' });
    t.is(
      await store.checkpoints.lastBefore({ ...execution, tenantId: makeTenantId(), sequence: 9 }),
      null,
    );
  });

  check('a checkpoint is kept once, and only of an execution that exists', async (t, database) => {
    const { store } = database;
    const execution = await start(store);
    await store.checkpoints.keep({ ...execution, sequence: 2, body: 'first' });
    const before = await database.contents();
    await store.checkpoints.keep({ ...execution, sequence: 2, body: 'second' });
    const { tenantId } = execution;
    const unknown = { executionId: makeExecutionId(), tenantId };
    await store.checkpoints.keep({ ...unknown, sequence: 2, body: 'x' });
    const foreign = { ...execution, tenantId: makeTenantId() };
    await store.checkpoints.keep({ ...foreign, sequence: 3, body: 'x' });
    t.deepEqual(await database.contents(), before);
  });
}
