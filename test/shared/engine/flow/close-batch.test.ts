import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Batches that several processes close at once, while starts and cancels come. */

const IR = {
  workflow_id: 'orders',
  nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  batch: { max: 3, wait: '1h' },
};
const BY = { tenantId: TENANT, actorId: 'token:t' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: every start is in one batch, however many processes close it`, async (t) => {
    const svc = await open(t, dialect);
    const processes = [svc, ...[1, 2, 3].map(() => openTestEngine({ store: svc.store }))];
    const started: ExecutionId[] = [];
    for (let round = 0; round < 3; round += 1) {
      const work = processes.flatMap(({ engine, scheduling }, at) => [
        ...[1, 2, 3].map(async (n) => {
          const input = { n: round * 100 + at * 10 + n };
          const { executionId } = await engine.startExecution({ ...START, input });
          started.push(executionId);
          if (n === 3) await engine.cancelExecution({ ...BY, executionId }).catch(() => undefined);
        }),
        scheduling.admitChildren(),
      ]);
      await Promise.all(work);
    }
    for (const { settle } of processes) await settle();
    const told = await Promise.all(started.map((id) => svc.eventsOf(id)));
    const items = told
      .flat()
      .flatMap(({ kind, payload }) => (kind === 'BatchClosed' ? payload.input.items : []));
    const numbers = items.map(({ n }) => n);
    t.is(new Set(numbers).size, numbers.length);
    t.true(items.length >= 3);
    for (const events of told) {
      const [first] = events;
      const input = first?.kind === 'WorkflowStarted' ? first.payload.input : {};
      const end = events.at(-1);
      const reason = end?.kind === 'WorkflowCancelled' ? (end.payload.reason ?? '') : null;
      const isLeader = events.some(({ kind }) => kind === 'BatchClosed');
      const isCarried = reason !== null && reason.includes('in the batch of');
      // Those that somebody cancelled, or that still wait, are in no batch.
      t.is(numbers.includes(input['n']), isLeader || isCarried);
    }
    t.deepEqual(svc.troubles, []);
  });
}

const START = {
  ...BY,
  workflowId: IR.workflow_id,
  workflowVersion: null,
  priority: 5,
  idempotencyKey: null,
};

async function open(t: ExecutionContext, dialect: Dialect) {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  const svc = openTestEngine({ store });
  await svc.engine.registerWorkflow({ ...BY, ir: IR });
  const eventsOf = (executionId: ExecutionId) =>
    store.executions.events({ executionId, after: 0, limit: 100 });
  return { ...svc, store, eventsOf };
}
