import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createCpu } from '../../../src/scheduler/pool/pool.ts';
import { createIds } from '../../../src/shared/clients/system-ids.ts';
import { decide } from '../../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../../src/shared/domain/execution/draft.ts';
import { evolve } from '../../../src/shared/domain/execution/evolve.ts';
import type { ExecutionId, WorkItemId } from '../../../src/shared/domain/ids.ts';
import { DEFAULT_TENANT } from '../../../src/shared/domain/ids.ts';
import { decideAnywhere } from '../../../src/shared/engine/decide-serialised.ts';
import { planOf } from '../../support/history.ts';

test('a decision over a large state is made on a thread, and is the same', async (t) => {
  const ir = {
    workflow_id: 'w',
    nodes: {
      first: {
        kind: { type: 'condition', branches: [{ condition: 'state.rows', target: 'done' }] },
      },
      done: { kind: 'pass' },
    },
    edges: [],
    start_node: 'first',
  };
  const plan = planOf(ir);
  const executionId = 'exec_0198c0de00007000a000000000000001' as ExecutionId;
  const input = { rows: Array.from({ length: 30_000 }, (_, index) => index) };
  const state = evolve({
    state: emptyState({ executionId, tenantId: DEFAULT_TENANT }),
    events: [
      {
        kind: 'WorkflowStarted',
        nodeId: null,
        sequence: 1,
        payload: { workflow_id: 'w', workflow_version: '1.0.0', definition_id: 'd', input },
      },
    ],
    plan,
  });

  const places: string[] = [];
  const cpu = createCpu({
    threads: 1,
    onTask: ({ task, place }) => places.push(`${task} ${place}`),
  });
  t.teardown(() => cpu.close());
  const ids = createIds({ now: Date.now, randomBytes });
  const there = await decideAnywhere({ cpu, ids, plan, ir, state, tenantPolicy: {}, budgets: [] });
  const here = decide({
    plan,
    state,
    newWorkItemId: () => ids.uuid() as WorkItemId,
    tenantPolicy: {},
    budgets: [],
  });

  t.deepEqual(places, ['decide thread']);
  t.deepEqual(there.events, here.events);
  t.deepEqual(there.effects, here.effects);
  t.is(there.next.status, 'completed');
});
