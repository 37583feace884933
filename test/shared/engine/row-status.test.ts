import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../support/engine.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';

const work = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

async function open(t: ExecutionContext): Promise<TestStore> {
  const opened = await openTestStore('sqlite');
  t.teardown(opened.close);
  return opened;
}

async function statusOf(host: TestEngine, executionId: ExecutionId): Promise<string> {
  const { row } = await host.engine.readExecution({ tenantId: TENANT, executionId });
  return row.status;
}

function approve(host: TestEngine, executionId: ExecutionId, nodeId: string) {
  return host.engine.decideApproval({
    tenantId: TENANT,
    executionId,
    actorId: 'token:test',
    decision: 'approved',
    nodeId,
    userId: 'kim',
    comment: null,
    statePatch: null,
  });
}

test('a paused execution whose timer leads on to work is running again', async (t) => {
  const { store, age } = await open(t);
  const host = openTestEngine({ store });
  const executionId = await host.start({
    start_node: 'ask',
    nodes: {
      ask: { kind: { type: 'human_approval', timeout_secs: 60, fallback_node: 'plan_b' } },
      plan_b: work,
    },
    edges: [],
  });
  t.is(await statusOf(host, executionId), 'paused');
  await age({ table: 'timers', columns: ['due_at'], byMs: 61_000 });
  await host.settle();
  t.is((await host.story(executionId)).at(-1), 'NodeScheduled plan_b');
  t.is(await statusOf(host, executionId), 'running');
});

/** Enough steps before the first wait that the engine takes a snapshot there. */
function longWay(length: number): JsonObject {
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  return {
    start_node: 'n0',
    nodes: {
      ...Object.fromEntries(ids.map((id) => [id, { kind: 'pass' }])),
      work,
      split: { kind: { type: 'parallel', branches: ['one', 'two'] } },
      one: { kind: 'human_approval' },
      two: { kind: 'human_approval' },
    },
    edges: [...ids, 'work', 'split']
      .slice(1)
      .map((to, index) => ({ from: ids[index] ?? 'work', to })),
  };
}

test('one of two approvals decided, the execution is paused again', async (t) => {
  const { store } = await open(t);
  const host = openTestEngine({ store });
  const executionId = await host.start(longWay(20));
  const [item] = await host.claim();
  await host.complete(item);
  await host.settle();
  t.is(await statusOf(host, executionId), 'paused');
  await approve(host, executionId, 'one');
  t.is(await statusOf(host, executionId), 'running');
  await host.settle();
  t.is(await statusOf(host, executionId), 'paused');
});
