import test, { type ExecutionContext } from 'ava';

import { parseExecutionId, type ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ForkAt } from '../../../../src/shared/engine/executions/fork/find-fork-point.ts';
import type { ImportDocument } from '../../../../src/shared/engine/executions/import/import-document.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Forks of executions of every sort: their original stays as it is, and each comes to its end. */

const by = { tenantId: TENANT, actorId: 'token:ops' };
const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const CALL = { kind: 'call', retry_policy: 'no_retry' };
const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: 'no_retry',
};
const CHAIN: JsonObject = {
  start_node: 'a',
  nodes: { a: CALL, b: WORKER, c: CALL },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};
const UNDOING: JsonObject = {
  start_node: 'a',
  nodes: {
    a: { ...CALL, undo: CALL },
    b: { ...CALL, undo: CALL },
    no: { kind: 'fail', message: 'refused' },
  },
  edges: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'no' },
  ],
};

const fork = (svc: TestEngine, executionId: ExecutionId, at: ForkAt) =>
  svc.engine.forkExecution({
    ...by,
    executionId,
    at,
    statePatch: null,
    revision: 'same',
    idempotencyKey: null,
  });
const atNode = (nodeId: string): ForkAt => ({ nodeId, visit: null, items: 'all' });
const statusOf = async (svc: TestEngine, executionId: ExecutionId) =>
  (await svc.engine.readExecution({ tenantId: TENANT, executionId })).row.status;
const eventsOf = async (svc: TestEngine, executionId: ExecutionId) =>
  (await svc.engine.readEvents({ tenantId: TENANT, executionId, after: 0, limit: null })).events;
const forksOf = async (svc: TestEngine, executionId: ExecutionId) =>
  (await svc.engine.listForks({ ...by, executionId, after: null, limit: 10 })).forks.map(
    ({ executionId: id }) => id,
  );

async function exportOf(svc: TestEngine, executionId: ExecutionId): Promise<ImportDocument> {
  let text = '';
  const exported = await svc.engine.exportExecution({ tenantId: TENANT, executionId });
  for await (const piece of exported) text += piece;
  return JSON.parse(text) as ImportDocument;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return store;
  };

  test(`${dialect}: a process that dies right after it took a fork leaves it to others`, async (t) => {
    const store = await open(t);
    const dying = openTestEngine({ store });
    const original = await dying.start(CHAIN);
    await dying.settle();
    const { executionId } = await fork(dying, original, atNode('a'));
    const heir = openTestEngine({ store });
    await heir.settle();
    t.deepEqual(await heir.story(executionId), [
      'WorkflowStarted',
      'NodeScheduled a',
      'NodeCompleted a',
      'NodeScheduled b',
    ]);
    t.deepEqual(heir.troubles, []);
  });

  test(`${dialect}: a fork at a failed branch runs its siblings again, and one at the last event keeps them`, async (t) => {
    const svc = openTestEngine({ store: await open(t) });
    const original = await svc.start({
      start_node: 'all',
      nodes: {
        all: { kind: { type: 'parallel', branches: ['left', 'right'] } },
        left: WORKER,
        right: WORKER,
        both: { kind: { type: 'join', wait_for: ['left', 'right'] } },
      },
    });
    await svc.settle();
    const items = await svc.claim('worker-1', 2);
    const itemOf = (id: string) => items.find(({ record }) => record.nodeId === id);
    await svc.complete(itemOf('left'));
    await svc.fail(itemOf('right'));
    await svc.settle();
    t.is(await statusOf(svc, original), 'failed');
    const sequence = (await eventsOf(svc, original)).length;
    const previewAt = async (at: ForkAt) => {
      const of = { executionId: original, at, statePatch: null, revision: 'same' } as const;
      const { outline } = await svc.engine.previewFork({ ...by, ...of });
      const kept = outline.kept.map(({ nodeId }) => nodeId);
      return { begins: outline.begins.toSorted(), kept };
    };
    t.deepEqual(await previewAt(atNode('right')), { begins: ['left', 'right'], kept: ['all'] });
    t.deepEqual(await previewAt({ sequence }), {
      begins: ['both', 'right'],
      kept: ['all', 'left'],
    });
    const { executionId } = await fork(svc, original, { sequence });
    await svc.settle();
    const again = await svc.claim('worker-1', 2);
    t.deepEqual(
      again.map(({ record }) => record.nodeId),
      ['right'],
    );
    await svc.complete(again[0]);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
  });

  test(`${dialect}: an execution continues while forks of it and of its forks run`, async (t) => {
    const svc = openTestEngine({ store: await open(t) });
    const original = await svc.start(CHAIN);
    await svc.settle();
    const before = await eventsOf(svc, original);
    const first = await fork(svc, original, atNode('b'));
    await svc.settle();
    const second = await fork(svc, first.executionId, atNode('b'));
    await svc.settle();
    t.deepEqual(await eventsOf(svc, original), before);
    t.deepEqual(await forksOf(svc, original), [first.executionId]);
    t.deepEqual(await forksOf(svc, first.executionId), [second.executionId]);
    const keys = new Set<string>();
    for (let left = 3; left > 0; left -= 1) {
      const [item] = await svc.claim();
      keys.add(item?.record.idempotencyKey ?? '');
      await svc.complete(item);
      await svc.settle();
    }
    t.is(keys.size, 3);
    for (const id of [original, first.executionId, second.executionId]) {
      t.is(await statusOf(svc, id), 'completed');
    }
    // The fork of the fork carries what the first one had carried.
    t.false((await svc.story(second.executionId)).includes('NodeScheduled a'));
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a fork of a child has no parent, and the parent waits for the child`, async (t) => {
    const svc = openTestEngine({ store: await open(t) });
    const workflowId = `child-${svc.ids.uuid()}`;
    await svc.engine.registerWorkflow({ ...by, ir: { workflow_id: workflowId, ...CHAIN } });
    const parent = await svc.start({
      nodes: { sub: { kind: { type: 'subgraph', workflow_ref: workflowId } } },
      edges: [],
    });
    await svc.settle();
    const [item] = await svc.claim();
    const child = item?.record.executionId;
    if (child === undefined) throw new Error('the child did not begin');
    const { executionId } = await fork(svc, child, atNode('b'));
    await svc.settle();
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(state.parent, null);
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
    t.is(await statusOf(svc, parent), 'running');
    await svc.complete(item);
    await svc.settle();
    t.is(await statusOf(svc, parent), 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a fork of an undone execution undoes its own steps alone`, async (t) => {
    const called: string[] = [];
    const svc = openTestEngine({
      store: await open(t),
      async run({ nodeId }) {
        called.push(nodeId);
        return DONE;
      },
    });
    const original = await svc.start(UNDOING);
    await svc.settle();
    t.deepEqual(called, ['a', 'b', 'b.undo', 'a.undo']);
    const before = await eventsOf(svc, original);
    called.length = 0;
    const { executionId } = await fork(svc, original, atNode('b'));
    await svc.settle();
    t.deepEqual(called, ['b', 'b.undo']);
    t.is(await statusOf(svc, executionId), 'failed');
    t.deepEqual(await eventsOf(svc, original), before);
    const whole = await fork(svc, original, atNode('a'));
    called.length = 0;
    await svc.settle();
    t.deepEqual(called, ['a', 'b', 'b.undo', 'a.undo']);
    t.is(await statusOf(svc, whole.executionId), 'failed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a fork counts what a failed attempt and the undos up to its point used`, async (t) => {
    const usage = { inputTokens: 3, outputTokens: 4, costUsd: 1 };
    const svc = openTestEngine({
      store: await open(t),
      run: async ({ nodeId }) =>
        nodeId === 'no'
          ? { ok: false, error: 'no', errorClass: 'error', usage }
          : { ...DONE, usage },
    });
    const original = await svc.start({
      ...UNDOING,
      nodes: { ...(UNDOING['nodes'] as JsonObject), no: CALL },
    });
    await svc.settle();
    const events = await eventsOf(svc, original);
    const failed = events.find(({ kind }) => kind === 'NodeFailed')?.sequence ?? 0;
    const undone = events.findLast(({ kind }) => kind === 'NodeCompleted')?.sequence ?? 0;
    const usedAt = async (sequence: number) => {
      const { executionId } = await fork(svc, original, { sequence });
      const [first] = await eventsOf(svc, executionId);
      return first?.kind === 'WorkflowStarted' ? first.payload.carried?.usage : null;
    };
    t.like(await usedAt(failed - 1), { input_tokens: 6, output_tokens: 8, cost_usd: 2 });
    t.like(await usedAt(failed), { input_tokens: 9, output_tokens: 12, cost_usd: 3 });
    t.like(await usedAt(undone), { input_tokens: 15, output_tokens: 20, cost_usd: 5 });
  });

  test(`${dialect}: a dry run lists no failures that the original has left behind`, async (t) => {
    const svc = openTestEngine({
      store: await open(t),
      run: async ({ nodeId, visit }) =>
        nodeId === 'odd' || (nodeId === 'each.item' && visit === 1)
          ? { ok: false, error: 'refused', errorClass: 'refused' }
          : DONE,
    });
    const original = await svc.start({
      start_node: 'odd',
      nodes: {
        odd: { ...CALL, fallback_node: 'each' },
        each: {
          kind: {
            type: 'map',
            items: [1, 2, 3],
            on_item_failure: 'collect',
            node: CALL,
          },
        },
        last: CALL,
      },
      edges: [{ from: 'each', to: 'last' }],
    });
    await svc.settle();
    const preview = async (at: ForkAt) => {
      const ask = { ...by, executionId: original, at };
      const params = { ...ask, statePatch: null, revision: 'same' } as const;
      const { kept, left } = (await svc.engine.previewFork(params)).outline;
      return { kept, left };
    };
    const visitsOf = (nodeId: string, visits: number) => ({ nodeId, visits });
    t.deepEqual(await preview(atNode('last')), {
      kept: [visitsOf('each.item', 2), visitsOf('each', 1)],
      left: [visitsOf('last', 1)],
    });
    t.deepEqual(await preview({ nodeId: 'each', visit: null, items: 'failed' }), {
      kept: [visitsOf('each.item', 2)],
      left: [visitsOf('each', 1), visitsOf('each.item', 1), visitsOf('last', 1)],
    });
    t.deepEqual(await preview(atNode('odd')), {
      kept: [],
      left: ['odd', 'each', 'each.item', 'last'].map((nodeId) =>
        visitsOf(nodeId, nodeId === 'each.item' ? 3 : 1),
      ),
    });
    const { executionId: forked } = await fork(svc, original, atNode('last'));
    await svc.settle();
    const begun = (await eventsOf(svc, forked)).filter(({ kind }) => kind === 'NodeScheduled');
    t.deepEqual(
      begun.map(({ nodeId }) => nodeId),
      ['last'],
    );
  });

  test(`${dialect}: a dry run lists what failed at the end as running again`, async (t) => {
    const svc = openTestEngine({
      store: await open(t),
      run: async ({ nodeId }) =>
        nodeId === 'b' ? { ok: false, error: 'refused', errorClass: 'refused' } : DONE,
    });
    const original = await svc.start({ ...CHAIN, nodes: { a: CALL, b: CALL, c: CALL } });
    await svc.settle();
    const last = (await eventsOf(svc, original)).at(-1)?.sequence ?? 0;
    const ask = { ...by, executionId: original, at: { sequence: last } };
    const { outline } = await svc.engine.previewFork({
      ...ask,
      statePatch: null,
      revision: 'same',
    });
    t.deepEqual(outline.begins, ['b']);
    t.deepEqual(outline.left, [{ nodeId: 'b', visits: 1 }]);
  });

  test(`${dialect}: a dry run names the kept steps that the original has undone`, async (t) => {
    const svc = openTestEngine({ store: await open(t), run: async () => DONE });
    const original = await svc.start(UNDOING);
    const preview = async (at: ForkAt) =>
      (
        await svc.engine.previewFork({
          ...by,
          executionId: original,
          at,
          statePatch: null,
          revision: 'same',
        })
      ).outline.undone;
    await svc.settle();
    t.deepEqual(await preview(atNode('no')), [
      { nodeId: 'b', visit: 0 },
      { nodeId: 'a', visit: 0 },
    ]);
    t.deepEqual(await preview(atNode('b')), [{ nodeId: 'a', visit: 0 }]);
    t.deepEqual(await preview(atNode('a')), []);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a dry run names no step whose undo has not completed`, async (t) => {
    const svc = openTestEngine({ store: await open(t), run: async () => DONE });
    const original = await svc.start({
      ...UNDOING,
      nodes: {
        a: { ...CALL, undo: WORKER },
        b: { ...CALL, undo: CALL },
        no: { kind: 'fail', message: 'refused' },
      },
    });
    await svc.settle();
    const ask = { ...by, executionId: original, at: atNode('no') };
    const { outline } = await svc.engine.previewFork({
      ...ask,
      statePatch: null,
      revision: 'same',
    });
    t.deepEqual(outline.undone, [{ nodeId: 'b', visit: 0 }]);
  });

  test(`${dialect}: a fork of an undone and failed execution is exported and imported`, async (t) => {
    const there = openTestEngine({ store: await open(t) });
    const here = openTestEngine({ store: await open(t) });
    const original = await there.start(UNDOING);
    await there.settle();
    const { executionId: forked } = await fork(there, original, atNode('b'));
    await there.settle();
    for (const executionId of [forked, original]) {
      const document = await exportOf(there, executionId);
      const answer = await here.engine.importExecution({ ...by, document });
      t.like(answer, { executionId, status: 'failed', isNew: true });
      t.deepEqual(
        (await exportOf(here, executionId)).events,
        document.events,
        'the events are the same',
      );
      t.like(await here.engine.readExecution({ tenantId: TENANT, executionId }), {
        row: { status: 'failed', error: 'refused' },
      });
    }
    // An imported execution can be forked where it is.
    const again = await fork(here, original, atNode('a'));
    await here.settle();
    t.is(await statusOf(here, again.executionId), 'failed');
    t.deepEqual(await forksOf(here, original), [again.executionId]);
    t.true(parseExecutionId(again.executionId) !== null);
  });
}
