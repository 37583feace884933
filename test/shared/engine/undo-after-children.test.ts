import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../support/engine.ts';
import { changeTable, openTestStore } from '../../support/stores.ts';

/* Children undo their own steps before their parent undoes its own. */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: 'no_retry',
};
const CALL = { kind: 'call', retry_policy: 'no_retry' };
const by = { tenantId: TENANT, actorId: 'token:t' };
const child = (workflow_ref: string): JsonObject => ({ kind: { type: 'subgraph', workflow_ref } });
/** A step that is undone, and then branches. */
const parent = (branches: JsonObject): JsonObject => ({
  start_node: 'a',
  nodes: {
    a: { ...CALL, undo: CALL },
    all: { kind: { type: 'parallel', branches: Object.keys(branches) } },
    ...branches,
  },
  edges: [{ from: 'a', to: 'all' }],
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext, run = async (_nodeId: string) => DONE) => {
    const { store, url, close } = await openTestStore(dialect);
    t.teardown(close);
    const ran: string[] = [];
    const openEngine = () =>
      openTestEngine({
        store,
        async run({ nodeId }) {
          ran.push(nodeId);
          return run(nodeId);
        },
      });
    const svc = openEngine();
    await register(
      svc,
      'held',
      { start_node: 's', nodes: { s: stepOf('s'), wait: WORKER } },
      'wait',
    );
    await register(svc, 'plain', { nodes: { wait: WORKER } });
    return { svc, ran, openEngine, change: changeTable(url) };
  };
  const stepOf = (id: string, undo: JsonObject = CALL): JsonObject => ({
    kind: 'pass',
    undo: { ...undo, id: `${id}.undo` },
  });
  const register = (svc: TestEngine, workflow_id: string, ir: JsonObject, next?: string) =>
    svc.engine.registerWorkflow({
      ...by,
      ir: { workflow_id, ...ir, ...(next !== undefined && { edges: [{ from: 's', to: next }] }) },
    });
  const childrenOf = async ({ engine }: TestEngine, executionId: ExecutionId) => {
    const { state } = await engine.readExecution({ tenantId: TENANT, executionId });
    return [...state.live.values()].flatMap(({ childId }) => childId ?? []);
  };
  const statusOf = async ({ engine }: TestEngine, executionId: ExecutionId) =>
    (await engine.readExecution({ tenantId: TENANT, executionId })).row.status;

  test(`${dialect}: a cancel: children undo their steps first, also by another process`, async (t) => {
    const { svc, ran, openEngine } = await open(t);
    const executionId = await svc.start(
      parent({ s: child('held'), u: child('held'), p: child('plain') }),
    );
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId });
    // It dies here, and others do the rest.
    const heir = openEngine();
    await heir.settle();
    t.deepEqual(ran, ['a', 's.undo', 's.undo', 'a.undo']);
    t.is(await statusOf(heir, executionId), 'cancelled');
    const story = await heir.story(executionId);
    t.is(story.filter((line) => line.startsWith('ChildWorkflowFailed')).length, 3);
    t.deepEqual(heir.troubles, []);
  });

  test(`${dialect}: a failed branch: the child of another one undoes its steps first`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start(parent({ s: child('held'), call: WORKER }));
    await svc.settle();
    const items = await svc.claim('worker-1', 2);
    await svc.fail(items.find(({ record }) => record.nodeId === 'call'));
    await svc.settle();
    t.deepEqual(ran, ['a', 's.undo', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'failed');
  });

  test(`${dialect}: a child whose undo is a dead letter holds the undos of its parent`, async (t) => {
    const { svc, ran } = await open(t);
    const stuck = { nodes: { s: stepOf('s', WORKER), wait: WORKER }, start_node: 's' };
    await register(svc, 'stuck', stuck, 'wait');
    const executionId = await svc.start(parent({ s: child('stuck') }));
    await svc.settle();
    const [childId = ''] = await childrenOf(svc, executionId);
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    const [undo] = await svc.claim();
    t.is(undo?.record.nodeId, 's.undo');
    await svc.fail(undo);
    await svc.settle();
    t.deepEqual(ran, ['a']);
    const told = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
    t.deepEqual(
      told.blockers.map(({ code, nodeId, details, message }) => [code, nodeId, details, message]),
      [
        [
          'child_running',
          's',
          { childId, childCode: 'dead_lettered' },
          `node s is over; the undos wait for the end of child execution ${childId} (dead_lettered)`,
        ],
      ],
    );
    t.is(told.ending, 'cancelled');
    // A cancel of the parent gives up nothing of its child; one of the child does.
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.deepEqual(ran, ['a']);
    await svc.engine.cancelExecution({ ...by, executionId: childId });
    await svc.settle();
    t.deepEqual(ran, ['a', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'cancelled');
  });

  test(`${dialect}: a paused child is resumed, and then its parent undoes its steps`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start(parent({ s: child('held') }));
    await svc.settle();
    const [childId = ''] = await childrenOf(svc, executionId);
    await svc.engine.cancelExecution({ ...by, executionId });
    // The child is cancelled, and is paused before its undo begins.
    await svc.scheduling.fireTimers({ limit: 100 });
    await svc.engine.pauseExecution({ ...by, executionId: childId, reason: null });
    await svc.settle();
    t.deepEqual(ran, ['a']);
    const { blockers } = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
    t.like(blockers, [{ code: 'child_running', details: { childCode: 'paused_by_operator' } }]);
    await svc.engine.resumeExecution({ ...by, executionId: childId });
    await svc.settle();
    t.deepEqual(ran, ['a', 's.undo', 'a.undo']);
  });

  test(`${dialect}: the end of a child just before the cancel of its parent is recorded once`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start(parent({ s: child('held') }));
    await svc.settle();
    const [item] = await svc.claim();
    await svc.complete(item);
    // The child ends; nothing has told its parent yet, and the cancel drops the report.
    await svc.scheduling.advanceRunnable({
      shards: [...Array(64).keys()],
      limit: 100,
    });
    while (svc.scheduling.underWay() > 0) await new Promise((resolve) => setImmediate(resolve));
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    const story = await svc.story(executionId);
    t.deepEqual(
      story.filter((line) => line.startsWith('ChildWorkflow')),
      ['ChildWorkflowStarted s', 'ChildWorkflowCompleted s'],
    );
    t.deepEqual(ran, ['a', 'a.undo']);
  });

  test(`${dialect}: a cancel keeps the end of a child that ended with its map`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start({
      start_node: 'a',
      nodes: {
        a: { ...CALL, undo: CALL },
        m: { kind: { type: 'map', items: '[1, 2]', workflow_ref: 'held' } },
        wait: WORKER,
      },
      edges: [
        { from: 'a', to: 'm' },
        { from: 'm', to: 'wait', on: 'failure' },
      ],
    });
    await svc.settle();
    const [item] = await svc.claim();
    await svc.fail(item);
    // The map fails and cancels the other child, which ends; its parent has not read the report.
    const advance = async () => {
      await svc.scheduling.advanceRunnable({ shards: [...Array(64).keys()], limit: 100 });
      while (svc.scheduling.underWay() > 0) await new Promise((resolve) => setImmediate(resolve));
    };
    await advance();
    await svc.scheduling.fireTimers({ limit: 100 });
    await advance();
    await svc.scheduling.fireTimers({ limit: 100 });
    for (let turn = 0; turn < 3; turn += 1) await advance();
    t.deepEqual(ran, ['a', 's.undo', 's.undo']);
    t.is((await svc.story(executionId)).at(-1), 'NodeScheduled wait');
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.deepEqual(ran, ['a', 's.undo', 's.undo', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'cancelled');
  });

  test(`${dialect}: another cancel records an end that an older scheduler did not report`, async (t) => {
    const { svc, ran, change } = await open(t);
    const executionId = await svc.start(parent({ p: child('plain') }));
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId });
    await change(`update timers set node_id = null, visit = null where name = 'parent_ended'`);
    await svc.settle();
    t.deepEqual(ran, ['a']);
    const { blockers } = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
    t.like(
      blockers.find(({ nodeId }) => nodeId === 'p'),
      { code: 'child_end_not_told' },
    );
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.deepEqual(ran, ['a', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'cancelled');
  });

  test(`${dialect}: a function that a policy blocks waits for its children before undos`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start({
      start_node: 'a',
      nodes: {
        a: { ...CALL, undo: CALL },
        f: { kind: 'function', name: 'shop.order', retry_policy: 'no_retry' },
      },
      edges: [{ from: 'a', to: 'f' }],
    });
    await svc.settle();
    const turn = await claimTurn(svc);
    await svc.engine.suspendFunction({
      tenantId: TENANT,
      workItemId: turn?.record.workItemId ?? '',
      leaseFence: turn?.leaseFence ?? 0,
      expectedLength: 0,
      entries: [],
      waits: [
        { identity: 'nap', kind: 'timer', delay_ms: 0 },
        { identity: 'sub', kind: 'child', workflow_id: 'held', input: {} },
      ],
    });
    await svc.settle();
    const policy = { blocked_tools: ['shop.order'] };
    const changes = { name: null, status: null, policy, limits: null };
    await svc.engine.updateTenant({ ...by, changes });
    t.is(await claimTurn(svc), undefined);
    await svc.settle();
    t.deepEqual(ran, ['a', 's.undo', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'failed');
  });

  test(`${dialect}: a parent with nothing to undo ends at once, and hears of no child`, async (t) => {
    const { svc } = await open(t);
    const executionId = await svc.start({ nodes: { s: child('held') } });
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId });
    t.is(await statusOf(svc, executionId), 'cancelled');
    await svc.settle();
    t.is((await svc.story(executionId)).at(-1), 'WorkflowCancelled');
  });
}

async function claimTurn({ engine }: TestEngine) {
  const [turn] = await engine.claimWork({
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['function'],
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
  });
  return turn;
}
