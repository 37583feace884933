import type { ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { eventually } from '../support/eventually.ts';
import type { TestTenant } from '../support/tenant.ts';
import type { ExecutionEvent, ExecutionSummary } from '../support/wire.ts';

/* Trees of executions that an attacker grows, or somebody by mistake. */

const check = onBothStores();

/** `docs/concepts/performance.md` has the figures for 10 000, measured with this variable. */
const MEMBERS = Number(process.env['TREE_MEMBERS'] ?? 400);
const GROW_MS = 600_000;
const DOWN_MS_MAX = Math.max(60_000, MEMBERS * 60);

check('a tree of many members is down soon after its root is cancelled', async (t, svc) => {
  t.timeout(GROW_MS);
  const branches = Math.ceil(Math.sqrt(MEMBERS));
  const leaf = await svc.register({ workflow_id: 'leaf', nodes: { w: WAIT } });
  const branch = await svc.register({ workflow_id: 'branch', ...eachOf(leaf, branches) });
  const id = await svc.run(eachOf(branch, branches));
  const all = branches * branches + branches + 1;
  await grown(svc, all);
  const cancelledAt = Date.now();
  await svc.post(`/executions/${id}/cancel`);
  await down(svc);
  t.log(`${all} executions were down ${Date.now() - cancelledAt} ms after the cancel`);
  await startedBefore(t, svc, id);
});

check(
  'a parent of many members undoes its step soon after it is cancelled, twice',
  async (t, svc) => {
    t.timeout(GROW_MS);
    const leaf = await svc.register({ workflow_id: 'leaf', nodes: { w: WAIT } });
    const { nodes } = eachOf(leaf, MEMBERS);
    const id = await svc.run({
      start_node: 'first',
      nodes: { first: { kind: 'pass', undo: { kind: 'pass' } }, ...nodes },
      edges: [{ from: 'first', to: 'each' }],
    });
    await grown(svc, MEMBERS + 1);
    const cancelledAt = Date.now();
    await svc.post(`/executions/${id}/cancel`);
    const answeredAfter = Date.now() - cancelledAt;
    // It asks the children again, and each end is recorded once.
    await svc.post(`/executions/${id}/cancel`);
    await down(svc);
    t.log(`answered after ${answeredAfter} ms, undone after ${Date.now() - cancelledAt} ms`);
    const path = `/executions/${id}/events?types=ChildWorkflowFailed,NodeScheduled`;
    const { body } = await svc.get<{ readonly events: readonly ExecutionEvent[] }>(path);
    const ends = body.events.filter(({ kind }) => kind === 'ChildWorkflowFailed');
    t.is(ends.length, MEMBERS);
    t.is(body.events.at(-1)?.node_id, 'first.undo');
  },
);

check('a tree that grows without end stops with its root', async (t, svc) => {
  t.timeout(GROW_MS);
  const bomb = await svc.register({ workflow_id: 'bomb', ...twiceOf('bomb') });
  const id = await svc.start(bomb);
  await grown(svc, 150);
  await svc.post(`/executions/${id}/cancel`);
  await down(svc);
  await startedBefore(t, svc, id);
});

const WAIT = { kind: { type: 'wait', condition: 'external_event' } };

function eachOf(workflowRef: string, count: number): { readonly nodes: JsonObject } {
  const items = [...Array(count).keys()];
  return {
    nodes: {
      each: { kind: { type: 'map', items, workflow_ref: workflowRef, max_concurrency: 10_000 } },
    },
  };
}

function twiceOf(workflowRef: string): JsonObject {
  const sub = { kind: { type: 'subgraph', workflow_ref: workflowRef } };
  return {
    start_node: 'split',
    nodes: { split: { kind: { type: 'parallel', branches: ['a', 'b'] } }, a: sub, b: sub },
  };
}

async function list(svc: TestTenant, query: string) {
  const path = `/executions?${query}`;
  const { body } = await svc.get<{ readonly executions: readonly ExecutionSummary[] }>(path);
  return body.executions;
}

/** Waits until the tenant has this many executions. */
async function grown(svc: TestTenant, count: number): Promise<void> {
  await eventually(
    async () => {
      const rows = await list(svc, `limit=1&offset=${count - 1}`);
      if (rows.length === 0) throw new Error(`there are fewer than ${count} executions`);
    },
    { withinMs: GROW_MS },
  );
}

async function down(svc: TestTenant): Promise<void> {
  await eventually(
    async () => {
      for (const status of ['running', 'paused']) {
        const [row] = await list(svc, `limit=1&status=${status}`);
        if (row !== undefined) throw new Error(`${row.execution_id} is ${status}`);
      }
    },
    { withinMs: DOWN_MS_MAX },
  );
}

/** Every execution of the tree was created before the end of its root. */
async function startedBefore(t: ExecutionContext, svc: TestTenant, id: string): Promise<void> {
  const { completed_at: endedAt } = await svc.read(id);
  const [newest] = await list(svc, 'limit=1');
  t.true(
    (newest?.created_at ?? '') <= (endedAt ?? ''),
    `${newest?.created_at} is after ${endedAt}`,
  );
}
