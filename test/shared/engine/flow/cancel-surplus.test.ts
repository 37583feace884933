import test, { type ExecutionContext } from 'ava';

import { isTerminal } from '../../../../src/shared/domain/execution/status.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Executions that end for a newer one of their key, and what a round does when another round has begun it. */

const WORKER = { type: 'python_fn', module: 'm', function: 'f' };
const IR = {
  workflow_id: 'reports',
  start_node: 'book',
  nodes: {
    book: { kind: WORKER, undo: { kind: WORKER } },
    go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
  },
  edges: [{ from: 'book', to: 'go' }],
  concurrency: { limit: 1, when_full: 'cancel_oldest' },
};
const LATEST_TWO = {
  workflow_id: 'latest',
  nodes: { go: IR.nodes.go },
  concurrency: { limit: 2, when_full: 'cancel_oldest' },
};
const BY = { tenantId: TENANT, actorId: 'token:t' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an execution that ends for another is looked at once`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.startAndBook();
    const second = await svc.begin();
    await svc.settle();
    t.is(await svc.endingOf(first), 'cancelled');
    t.is(svc.counts.get('executions_displaced'), 1);
    t.deepEqual(await svc.surplus(), []);
    t.deepEqual((await svc.store.flow.find(second))?.holders, [first]);
  });

  test(`${dialect}: rounds of several processes cancel an execution once`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.startAndBook();
    const others = [1, 2, 3].map(() => openTestEngine({ store: svc.store }));
    const second = await svc.begin();
    await Promise.all([svc, ...others].map(({ scheduling }) => scheduling.admitChildren()));
    const displaced = [svc, ...others].map(({ counts }) => counts.get('executions_displaced') ?? 0);
    t.is(
      displaced.reduce((sum, count) => sum + count, 0),
      1,
    );
    const kinds = await svc.kindsOf(first);
    t.is(kinds.filter((kind) => kind === 'WorkflowEnding').length, 1);
    t.deepEqual(await svc.kindsOf(second), ['WorkflowStarted']);
  });

  test(`${dialect}: an execution that somebody has cancelled is not cancelled again`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.startAndBook();
    await svc.engine.cancelExecution({ ...BY, executionId: first });
    await svc.begin();
    t.is((await svc.surplus()).length, 1);
    await svc.settle();
    t.deepEqual(await svc.surplus(), []);
    t.is(svc.counts.get('executions_displaced') ?? 0, 0);
    t.is((await svc.kindsOf(first)).filter((kind) => kind === 'WorkflowEnding').length, 1);
  });

  test(`${dialect}: starts of several processes at once leave as many as the limit`, async (t) => {
    const svc = await open(t, dialect);
    const processes = [svc, ...[1, 2, 3].map(() => openTestEngine({ store: svc.store }))];
    await svc.engine.registerWorkflow({ ...BY, ir: LATEST_TWO });
    const started: ExecutionId[] = [];
    for (let round = 0; round < 4; round += 1) {
      const work = processes.flatMap(({ engine, scheduling }) => [
        ...[1, 2, 3].map(async () => {
          const { executionId } = await engine.startExecution(startOf(LATEST_TWO.workflow_id));
          started.push(executionId);
        }),
        scheduling.admitChildren(),
      ]);
      await Promise.all(work);
      t.true((await svc.liveAndBegun(started)).length <= 2);
    }
    for (const { settle } of processes) await settle();
    t.is((await svc.liveAndBegun(started)).length, 2);
    const rows = await Promise.all(started.map((id) => svc.store.executions.find(id, TENANT)));
    t.is(rows.filter((row) => row?.status === 'cancelled').length, started.length - 2);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a paused execution ends for another`, async (t) => {
    const svc = await open(t, dialect);
    const first = await svc.startAndBook();
    await svc.engine.pauseExecution({ ...BY, executionId: first, reason: null });
    await svc.begin();
    await svc.settle();
    t.is(await svc.endingOf(first), 'cancelled');
  });
}

function startOf(workflowId: string) {
  const given = { workflowVersion: null, input: {}, priority: 5, idempotencyKey: null };
  return { ...BY, workflowId, ...given };
}

async function open(t: ExecutionContext, dialect: Dialect) {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  const svc = openTestEngine({ store });
  const kindsOf = async (executionId: ExecutionId) => {
    const events = await store.executions.events({ executionId, after: 0, limit: 100 });
    return events.map(({ kind }) => kind);
  };
  await svc.engine.registerWorkflow({ ...BY, ir: IR });
  const begin = async () => {
    const { executionId } = await svc.engine.startExecution(startOf(IR.workflow_id));
    return executionId;
  };
  return {
    ...svc,
    store,
    kindsOf,
    begin,
    async startAndBook(): Promise<ExecutionId> {
      const executionId = await begin();
      await svc.settle();
      const [item] = await svc.claim('worker-1', 1);
      await svc.complete(item);
      await svc.settle();
      return executionId;
    },
    async endingOf(executionId: ExecutionId) {
      const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
      return state.ending?.outcome ?? null;
    },
    async liveAndBegun(ids: readonly ExecutionId[]) {
      const rows = await Promise.all(ids.map((id) => store.executions.find(id, TENANT)));
      const live = rows.flatMap((row) => (row === null || isTerminal(row.status) ? [] : [row]));
      const stories = await Promise.all(live.map(({ executionId }) => kindsOf(executionId)));
      return stories.filter((story) => story.includes('NodeScheduled'));
    },
    async surplus() {
      const placeKey = JSON.stringify([IR.workflow_id, '']);
      const keys = await store.flow.listSurplus({ tenantId: TENANT, placeKey, limit: 10 });
      return keys.map(({ executionId }) => executionId);
    },
  };
}
