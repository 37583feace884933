import test from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

const BY = { tenantId: TENANT, actorId: 'token:t' };
const WORKFLOW = { ...BY, workflowId: 'limited' };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: the place that a cancelled execution got after the look at its line is given at the next look`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const svc = openTestEngine({ store });
    const wait = { type: 'wait', condition: 'external_event', correlation_key: 'go' };
    const ir = { workflow_id: WORKFLOW.workflowId, nodes: { go: { kind: wait } } };
    await svc.engine.registerWorkflow({ ...BY, ir: { ...ir, concurrency: { limit: 1 } } });
    const start = async (): Promise<ExecutionId> => {
      const given = { workflowVersion: null, input: {}, priority: 5, idempotencyKey: null };
      return (await svc.engine.startExecution({ ...WORKFLOW, ...given })).executionId;
    };
    const holder = await start();
    const [first, second, last] = [await start(), await start(), await start()];
    await svc.settle();
    const cancel = (executionId: ExecutionId) => svc.engine.cancelExecution({ ...BY, executionId });
    const { engine: other } = openTestEngine({
      store: {
        ...store,
        flow: {
          ...store.flow,
          async findLine(executionId) {
            const line = await store.flow.findLine(executionId);
            await cancel(holder);
            await cancel(first);
            await svc.scheduling.admitChildren();
            t.deepEqual((await store.flow.find(last))?.holders, [second]);
            return line;
          },
        },
      },
    });
    await other.cancelExecution({ ...BY, executionId: second });
    await svc.scheduling.admitChildren();
    t.is(await store.flow.find(last), null);
    await svc.settle();
    t.true((await svc.story(last)).includes('NodeScheduled go'));
  });
}
