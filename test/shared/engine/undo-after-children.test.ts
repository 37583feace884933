import test, { type ExecutionContext } from 'ava';

import { SvcError } from '../../../src/shared/domain/errors.ts';
import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { ClaimedWork } from '../../../src/shared/engine/work/hand-out-items.ts';
import type { NodeOutcome } from '../../../src/shared/nodes/run.ts';
import type { CommitPlan } from '../../../src/shared/store/commit.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../support/engine.ts';
import { refusing } from '../../support/refusing.ts';
import { changeTable, openTestStore } from '../../support/stores.ts';

/* Children undo their own steps before their parent undoes its own. */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: 'no_retry',
};
const CALL = { kind: 'call', retry_policy: 'no_retry' };
const FUNCTION = { kind: 'function', name: 'shop.order', retry_policy: 'no_retry' };
/** So many readings of an execution are refused before a process leaves it to a later look. */
const LOST_RACES = 500;
/** More children than the timers of two rounds. */
const ENDS = 250;
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
  const open = async (
    t: ExecutionContext,
    onCommit: (plans: readonly CommitPlan[]) => void = () => undefined,
    refuses: (plan: CommitPlan) => boolean = () => false,
  ) => {
    const opened = await openTestStore(dialect);
    const { url } = opened;
    t.teardown(opened.close);
    const store = refusing(watched(opened.store, onCommit), refuses);
    const ran: string[] = [];
    const openEngine = () =>
      openTestEngine({
        store,
        async run({ nodeId }) {
          ran.push(nodeId);
          return DONE;
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
  /** The undo of its step waits for a worker. */
  const registerStuck = (svc: TestEngine) =>
    register(
      svc,
      'stuck',
      { start_node: 's', nodes: { s: stepOf('s', WORKER), wait: WORKER } },
      'wait',
    );
  const childrenOf = async ({ engine }: TestEngine, executionId: ExecutionId) => {
    const { state } = await engine.readExecution({ tenantId: TENANT, executionId });
    return [...state.live.values()].flatMap(({ childId }) => childId ?? []);
  };
  const statusOf = async ({ engine }: TestEngine, executionId: ExecutionId) =>
    (await engine.readExecution({ tenantId: TENANT, executionId })).row.status;

  /**
   * A child of a map fails and undoes its step, so the map fails. The undo of the other child waits while the
   * execution continues as another run.
   */
  const continueBesideChild = async (svc: TestEngine, undo: JsonObject = { undo: CALL }) => {
    await registerStuck(svc);
    const map = { type: 'map', items: '[1, 2]', workflow_ref: 'stuck' };
    const first = await svc.start({
      start_node: 'a',
      nodes: {
        a: { ...CALL, ...undo },
        m: { kind: map, fallback_node: 'next' },
        next: WORKER,
        last: WORKER,
      },
      edges: [
        { from: 'a', to: 'm' },
        { from: 'next', to: 'last' },
      ],
      continue_as_new: { when: 'has(state.go)' },
    });
    await svc.settle();
    const [item] = await svc.claim('worker-1', 2);
    await svc.fail(item);
    await svc.settle();
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    const claimed = await svc.claim('worker-1', 2);
    const claimedOf = (id: string) => claimed.find(({ record }) => record.nodeId === id);
    await svc.complete(claimedOf('next'), { statePatch: { go: true } });
    await svc.settle();
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId: first });
    if (state.continuedAs === null) throw new Error('it has not continued');
    return { executionId: state.continuedAs, claimedOf };
  };

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
    await registerStuck(svc);
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
    // Another cancel asks for its end, and the pause stays.
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.deepEqual(ran, ['a']);
    t.is(await statusOf(svc, childId as ExecutionId), 'paused');
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
    const { svc, ran, change, openEngine } = await open(t);
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
    // It dies here: the children are asked, and others record their ends.
    const heir = openEngine();
    await heir.settle();
    t.deepEqual(ran, ['a', 'a.undo']);
    t.is(await statusOf(heir, executionId), 'cancelled');
    const story = await heir.story(executionId);
    t.is(story.filter((line) => line === 'ChildWorkflowFailed p').length, 1);
  });

  test(`${dialect}: another cancel lets schedulers record many ends, some in each commit`, async (t) => {
    const commits: CommitPlan[] = [];
    const { svc, ran, change } = await open(t, (plans) => commits.push(...plans));
    const items = `[${[...Array(ENDS).keys()].join()}]`;
    const map = { type: 'map', items, workflow_ref: 'plain', max_concurrency: ENDS };
    const executionId = await svc.start(parent({ m: { kind: map } }));
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId });
    await change(`update timers set node_id = null, visit = null where name = 'parent_ended'`);
    await svc.settle();
    t.deepEqual(ran, ['a']);
    commits.length = 0;
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    const ends = commits.map(
      ({ events }) => events.filter(({ kind }) => kind === 'ChildWorkflowFailed').length,
    );
    // Each round of timers finds 100 of them.
    t.deepEqual(
      ends.filter((count) => count > 0),
      [100, 100, ENDS - 200],
    );
    t.deepEqual(ran, ['a', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'cancelled');
  });

  for (const how of ['completes', 'continues as new'] as const) {
    test(`${dialect}: a function that ${how} lets undos wait for the children that it leaves`, async (t) => {
      const { svc, ran } = await open(t);
      await registerStuck(svc);
      const executionId = await svc.start({
        start_node: 'a',
        nodes: { a: { ...CALL, undo: CALL }, f: FUNCTION, next: WORKER },
        edges: [
          { from: 'a', to: 'f' },
          { from: 'f', to: 'next' },
        ],
      });
      await svc.settle();
      await awaitChild(svc, 'stuck');
      const turn = await claimTurn(svc);
      if (how === 'completes') {
        await svc.complete(turn, { entries: [], expectedLength: 1 });
      } else {
        const asked = { expectedLength: 1, entries: [], input: {} };
        await svc.engine.continueFunction({ ...turnOf(turn), ...asked });
      }
      await svc.settle();
      const items = await svc.claim('worker-1', 2);
      const itemOf = (id: string) => items.find(({ record }) => record.nodeId === id);
      if (how === 'completes') await svc.fail(itemOf('next'));
      else await svc.engine.cancelExecution({ ...by, executionId });
      await svc.settle();
      t.deepEqual(ran, ['a']);
      const { blockers } = await svc.engine.explainExecution({ tenantId: TENANT, executionId });
      t.like(blockers, [{ code: 'child_running', nodeId: 'f' }]);
      await svc.complete(itemOf('s.undo'));
      await svc.settle();
      t.deepEqual(ran, ['a', 'a.undo']);
      t.is(await statusOf(svc, executionId), how === 'completes' ? 'failed' : 'cancelled');
    });
  }

  test(`${dialect}: an execution that completes waits for no child that a function has left`, async (t) => {
    const { svc } = await open(t);
    const executionId = await svc.start({ nodes: { f: FUNCTION } });
    await svc.settle();
    await awaitChild(svc, 'held');
    await svc.complete(await claimTurn(svc), { entries: [], expectedLength: 1 });
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'completed');
    t.is((await svc.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  for (const when of ['before', 'after'] as const) {
    test(`${dialect}: undos of the next run wait for a child that ends ${when} its cancel`, async (t) => {
      const { svc, ran, openEngine } = await open(t);
      const { executionId, claimedOf } = await continueBesideChild(svc);
      if (when === 'before') {
        await svc.complete(claimedOf('s.undo'));
        await svc.settle();
      }
      await svc.engine.cancelExecution({ ...by, executionId });
      if (when === 'after') {
        await svc.settle();
        t.deepEqual(ran, ['a']);
        await svc.complete(claimedOf('s.undo'));
      }
      // It dies here, and another process does the rest.
      const heir = openEngine();
      await heir.settle();
      t.deepEqual(ran, ['a', 'a.undo']);
      t.is(await statusOf(heir, executionId), 'cancelled');
      const story = await heir.story(executionId);
      t.is(story.filter((line) => line === 'ChildWorkflowFailed m.item').length, 1);
      t.deepEqual(heir.troubles, []);
    });
  }

  test(`${dialect}: a run that moves too fast to hear of a child leaves it to the next look`, async (t) => {
    let refusals = 0;
    let moving: ExecutionId | null = null;
    const refuse = ({ executionId, events }: CommitPlan) =>
      executionId === moving &&
      events.some(({ kind }) => kind === 'ChildWorkflowFailed') &&
      refusals-- > 0;
    const { svc, ran } = await open(t, () => undefined, refuse);
    const { executionId, claimedOf } = await continueBesideChild(svc);
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    await svc.complete(claimedOf('s.undo'));
    // The child ends, and a timer of another execution is due in the same round.
    const nap = { type: 'wait', condition: 'timer', timeout_secs: 0 };
    const other = await svc.start({ nodes: { nap: { kind: nap } } });
    refusals = LOST_RACES;
    moving = executionId;
    await svc.settle();
    t.is(await statusOf(svc, other), 'completed');
    t.is(refusals, -1);
    t.deepEqual(ran, ['a', 'a.undo']);
    t.is(await statusOf(svc, executionId), 'cancelled');
    const story = await svc.story(executionId);
    t.is(story.filter((line) => line === 'ChildWorkflowFailed m.item').length, 1);
    t.regex(String(svc.troubles), /changes too fast/);
  });

  test(`${dialect}: a retry that may still undo steps waits for the children of the first execution`, async (t) => {
    const { svc } = await open(t);
    await registerStuck(svc);
    const executionId = await svc.start({
      start_node: 'a',
      nodes: {
        a: { ...CALL, undo: CALL, undo_on: ['cancelled'] },
        all: { kind: { type: 'parallel', branches: ['s', 'call'] } },
        s: child('stuck'),
        call: WORKER,
      },
      edges: [{ from: 'a', to: 'all' }],
    });
    await svc.settle();
    const [childId = ''] = await childrenOf(svc, executionId);
    const items = await svc.claim('worker-1', 2);
    await svc.fail(items.find(({ record }) => record.nodeId === 'call'));
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'failed');
    const retry = () =>
      svc.engine.retryExecution({ ...by, executionId, statePatch: null, revision: 'same' });
    const refused = await t.throwsAsync(retry(), { instanceOf: SvcError });
    t.like(refused, { status: 409, body: { child_execution_id: childId } });
    await svc.complete((await svc.claim())[0]);
    await svc.settle();
    const { executionId: retried } = await retry();
    t.is(await statusOf(svc, retried), 'running');
  });

  test(`${dialect}: a retry of a later run waits for the child that an earlier run has given up`, async (t) => {
    const { svc } = await open(t);
    const { executionId, claimedOf } = await continueBesideChild(svc, {
      undo: CALL,
      undo_on: ['cancelled'],
    });
    await svc.fail((await svc.claim())[0]);
    await svc.settle();
    t.is(await statusOf(svc, executionId), 'failed');
    const retry = () =>
      svc.engine.retryExecution({ ...by, executionId, statePatch: null, revision: 'same' });
    const refused = await t.throwsAsync(retry(), { instanceOf: SvcError });
    t.like(refused, {
      status: 409,
      body: { child_execution_id: claimedOf('s.undo')?.record.executionId },
    });
    await svc.complete(claimedOf('s.undo'));
    await svc.settle();
    await t.notThrowsAsync(retry());
  });

  test(`${dialect}: a function that a policy blocks waits for its children before undos`, async (t) => {
    const { svc, ran } = await open(t);
    const executionId = await svc.start({
      start_node: 'a',
      nodes: {
        a: { ...CALL, undo: CALL },
        f: FUNCTION,
      },
      edges: [{ from: 'a', to: 'f' }],
    });
    await svc.settle();
    await awaitChild(svc, 'held');
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

/** Shows each batch of commits. */
function watched(store: Store, onCommit: (plans: readonly CommitPlan[]) => void): Store {
  const { executions } = store;
  const commit: Store['executions']['commit'] = (plans) => {
    onCommit(plans);
    return executions.commit(plans);
  };
  return { ...store, executions: { ...executions, commit } };
}

/** The function waits for a child and for a timer, and its next turn is queued. */
async function awaitChild(svc: TestEngine, workflow_id: string): Promise<void> {
  await svc.engine.suspendFunction({
    ...turnOf(await claimTurn(svc)),
    expectedLength: 0,
    entries: [],
    waits: [
      { identity: 'nap', kind: 'timer', delay_ms: 0 },
      { identity: 'sub', kind: 'child', workflow_id, input: {} },
    ],
  });
  await svc.settle();
}

function turnOf(turn: ClaimedWork | undefined) {
  if (turn === undefined) throw new Error('nothing was claimed');
  const { record, leaseFence } = turn;
  return { tenantId: TENANT, workItemId: record.workItemId, leaseFence };
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
