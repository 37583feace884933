import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { changeTable, openTestStore } from '../../../support/stores.ts';

/* Executions that wait for a place or a token while they, or their workflow, are paused. */

const BY = { tenantId: TENANT, actorId: 'token:t' };
const WORKFLOW = { ...BY, workflowId: 'paused' };
const HOUR_US = 3_600_000_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: executions of a paused workflow take no tokens, so they begin at the rate after it`, async (t) => {
    const svc = await open(t, dialect, { rate: { limit: 24, per: '1d', burst: 3 } });
    const all = await svc.start(10);
    t.deepEqual(await svc.begun(all), all.slice(0, 3));
    await svc.pause();
    for (let round = 0; round < 2; round += 1) {
      await svc.passHours(3);
      await svc.settle();
    }
    await svc.resume();
    t.deepEqual(await svc.begun(all), all.slice(0, 6));
  });

  test(`${dialect}: executions of a paused workflow take no places`, async (t) => {
    const svc = await open(t, dialect, { concurrency: { limit: 1 } });
    const all = await svc.start(2);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.pause();
    await svc.end(all[0]);
    t.deepEqual(await svc.waiting(all), all.slice(1));
    await svc.resume();
    t.deepEqual(await svc.begun(all), all);
  });

  test(`${dialect}: the pause of another workflow holds back nobody`, async (t) => {
    const svc = await open(t, dialect, { concurrency: { limit: 1 } });
    await svc.register(`${WORKFLOW.workflowId}-2`, {});
    await svc.pause(`${WORKFLOW.workflowId}-2`);
    const all = await svc.start(2);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.end(all[0]);
    t.deepEqual(await svc.begun(all), all);
  });

  test(`${dialect}: one that is paused alone takes its place in its turn, and keeps it`, async (t) => {
    const svc = await open(t, dialect, { concurrency: { limit: 1 } });
    const all = await svc.start(3);
    const [first, second, third] = all;
    if (second === undefined || third === undefined) return t.fail('nothing was started');
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.engine.pauseExecution({ ...BY, executionId: second, reason: null });
    await svc.end(first);
    t.deepEqual((await svc.store.flow.find(third))?.holders, [second]);
    await svc.engine.resumeExecution({ ...BY, executionId: second });
    t.deepEqual(await svc.begun(all), all.slice(0, 2));
  });

  test(`${dialect}: one that is paused alone, or cancelled as it begins, holds no room of the bucket`, async (t) => {
    const svc = await open(t, dialect, { rate: { limit: 24, per: '1d', burst: 1 } });
    const all = await svc.start(4);
    const [first, second, third, fourth] = all;
    if (second === undefined || third === undefined) return t.fail('nothing was started');
    t.deepEqual(await svc.begun(all), [first]);
    await svc.engine.pauseExecution({ ...BY, executionId: second, reason: null });
    await svc.passHours(1);
    await svc.settle();
    t.deepEqual(await svc.waiting(all), [third, fourth]);
    await svc.passHours(1);
    await svc.admit();
    t.deepEqual(await svc.waiting(all), [fourth]);
    await svc.engine.cancelExecution({ ...BY, executionId: third });
    await svc.passHours(1);
    t.deepEqual(await svc.begun(all), [first, fourth]);
  });
}

async function open(t: ExecutionContext, dialect: Dialect, rules: JsonObject) {
  const { store, url, close } = await openTestStore(dialect);
  t.teardown(close);
  const svc = openTestEngine({ store });
  const kind = { type: 'wait', condition: 'external_event', correlation_key: 'go' };
  const register = (workflowId: string, more: JsonObject) =>
    svc.engine.registerWorkflow({
      ...BY,
      ir: { workflow_id: workflowId, nodes: { go: { kind } }, ...more },
    });
  await register(WORKFLOW.workflowId, rules);
  const sweep = async () => {
    while (
      (await svc.scheduling.sweepWorkflowPauses({ signal: new AbortController().signal })).more
    );
    await svc.settle();
  };
  return {
    ...svc,
    register,
    async start(count: number): Promise<readonly ExecutionId[]> {
      const ids: ExecutionId[] = [];
      for (let n = 0; n < count; n += 1) {
        const given = { workflowVersion: null, input: {}, priority: 5, idempotencyKey: null };
        ids.push((await svc.engine.startExecution({ ...WORKFLOW, ...given })).executionId);
      }
      return ids;
    },
    async begun(of: readonly ExecutionId[]): Promise<readonly ExecutionId[]> {
      await svc.settle();
      const found: ExecutionId[] = [];
      for (const id of of) {
        if ((await svc.story(id)).includes('NodeScheduled go')) found.push(id);
      }
      return found;
    },
    async waiting(of: readonly ExecutionId[]): Promise<readonly ExecutionId[]> {
      const found: ExecutionId[] = [];
      for (const id of of) if ((await store.flow.find(id)) !== null) found.push(id);
      return found;
    },
    async pause(workflowId = WORKFLOW.workflowId): Promise<void> {
      await svc.engine.pauseWorkflow({ ...BY, workflowId, reason: null });
      await sweep();
    },
    async resume(): Promise<void> {
      await svc.engine.resumeWorkflow(WORKFLOW);
      await sweep();
    },
    async end(executionId: ExecutionId | undefined): Promise<void> {
      if (executionId !== undefined) await svc.engine.cancelExecution({ ...BY, executionId });
      await svc.settle();
    },
    /** Gives tokens and places, and lets nobody begin yet. */
    admit: () => svc.scheduling.admitChildren(),
    passHours: (hours: number) =>
      changeTable(url)(`update quota_buckets set full_at_us = full_at_us - ${hours * HOUR_US}`),
  };
}
