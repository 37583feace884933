import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createCpu } from '../../../src/scheduler/pool/pool.ts';
import { createIds } from '../../../src/shared/clients/system-ids.ts';
import { decide } from '../../../src/shared/domain/execution/decide.ts';
import { emptyState } from '../../../src/shared/domain/execution/draft.ts';
import { evolve } from '../../../src/shared/domain/execution/evolve.ts';
import type { ExecutionId, WorkItemId } from '../../../src/shared/domain/ids.ts';
import { DEFAULT_TENANT } from '../../../src/shared/domain/ids.ts';
import { decideAnywhere } from '../../../src/shared/engine/advance/decide-serialised.ts';
import type { ExecutionState } from '../../../src/shared/domain/execution/state.ts';
import { History, planOf } from '../../support/history.ts';

const caller = { signal: null, whenBusy: 'waits' } as const;

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
  const there = await decideAnywhere({
    cpu,
    caller,
    ids,
    plan,
    ir,
    state,
    tenantPolicy: {},
    budgets: [],
  });
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

test('a decision that only answers live visits runs here, and what then starts runs on a thread', async (t) => {
  const work = { type: 'python_fn', module: 'm', function: 'f' };
  const ir = {
    workflow_id: 'w',
    start_node: 'map',
    nodes: {
      map: { kind: { type: 'map', items: 'state.rows', node: 'item', max_concurrency: 2 } },
      item: { kind: work },
      last: { kind: 'pass' },
    },
    edges: [{ from: 'map', to: 'last' }],
  };
  const input = { rows: [1, 2], more: Array.from({ length: 30_000 }, () => 0) };
  const history = new History(planOf(ir), input);
  const items = history.liveNodes();
  t.deepEqual(items, ['map', 'item', 'item']);
  const places: string[] = [];
  const cpu = createCpu({ threads: 1, onTask: ({ place }) => places.push(place) });
  t.teardown(() => cpu.close());
  const ids = createIds({ now: Date.now, randomBytes });
  const after = (state: ExecutionState, visits: readonly number[]) =>
    evolve({
      state,
      plan: history.plan,
      events: visits.map((visit, index) => ({
        kind: 'NodeCompleted',
        nodeId: 'item',
        sequence: state.sequence + 1 + index,
        payload: { visit, output: visit },
      })),
    });
  const next = (state: ExecutionState) =>
    decideAnywhere({
      cpu,
      caller,
      ids,
      plan: history.plan,
      ir,
      state,
      tenantPolicy: {},
      budgets: [],
    });

  const one = await next(after(history.state, [0]));
  t.deepEqual([one.events, one.more], [[], false]);
  const both = await next(after(history.state, [0, 1]));
  t.deepEqual(
    [both.events.map(({ kind }) => kind), both.more, places],
    [['NodeCompleted'], true, []],
  );
  const end = await next(both.next);
  t.deepEqual([end.next.status, end.more, places], ['completed', false, ['thread']]);
});
