import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

/* Undos run once, despite crashes, and what a worker does not run asks a person. */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const WORKER = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: 'no_retry',
};
const CALL = { kind: 'call', retry_policy: 'no_retry' };
const by = { tenantId: TENANT, actorId: 'token:t' };
const REFUSED: JsonObject = {
  start_node: 'a',
  nodes: { a: { ...CALL, undo: CALL }, no: { kind: 'fail', message: 'refused' } },
  edges: [{ from: 'a', to: 'no' }],
};

async function statusOf({ engine }: TestEngine, executionId: ExecutionId) {
  const { row, state } = await engine.readExecution({ tenantId: TENANT, executionId });
  const { undone, failed } = state.undo;
  return { status: row.status, error: row.error, undone, failed: failed.length };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close, ...rest } = await openTestStore(dialect);
    t.teardown(close);
    return { store, ...rest };
  };

  test(`${dialect}: a process that dies in an undo: it is run again under the same key`, async (t) => {
    const { store, age } = await open(t);
    const keys: string[] = [];
    const dying = openTestEngine({
      store,
      async run({ nodeId, idempotencyKey }) {
        if (nodeId === 'a') return DONE;
        keys.push(idempotencyKey);
        return new Promise<never>(() => undefined);
      },
    });
    const undo = { kind: 'call' };
    const executionId = await dying.start({
      ...REFUSED,
      nodes: { ...(REFUSED['nodes'] as JsonObject), a: { ...CALL, undo } },
    });
    while (keys.length === 0) await dying.turn();
    await age({ table: 'work_leases', columns: ['expires_at'], byMs: 60_000 });
    const calls: NodeCall[] = [];
    const heir = openTestEngine({
      store,
      async run(call) {
        calls.push(call);
        return DONE;
      },
    });
    await heir.settle();
    t.deepEqual(
      calls.map(({ nodeId, attempt, idempotencyKey }) => [nodeId, attempt, idempotencyKey]),
      [['a.undo', 1, keys[0]]],
    );
    t.deepEqual(await statusOf(heir, executionId), {
      status: 'failed',
      error: 'refused',
      undone: 1,
      failed: 0,
    });
    t.is(
      (await heir.story(executionId)).filter((line) => line === 'NodeScheduled a.undo').length,
      1,
    );
  });

  test(`${dialect}: a process that dies right after a cancel leaves the undos to others`, async (t) => {
    const { store } = await open(t);
    const dying = openTestEngine({ store });
    const executionId = await dying.start({
      start_node: 'a',
      nodes: { a: { ...CALL, undo: CALL }, b: WORKER },
      edges: [{ from: 'a', to: 'b' }],
    });
    await dying.settle();
    await dying.engine.cancelExecution({ ...by, executionId });
    const heir = openTestEngine({ store });
    await heir.settle();
    t.deepEqual((await heir.story(executionId)).slice(-4), [
      'WorkflowEnding',
      'NodeScheduled a.undo',
      'NodeCompleted a.undo',
      'WorkflowCancelled',
    ]);
  });

  test(`${dialect}: an undo of the engine without attempts asks, and is approved or rejected`, async (t) => {
    const { store } = await open(t);
    for (const decision of ['approved', 'rejected'] as const) {
      let isBroken = true;
      const svc = openTestEngine({
        store,
        async run({ nodeId }) {
          const fails = nodeId === 'a.undo' && isBroken;
          return fails ? { ok: false, error: 'closed', errorClass: 'error' } : DONE;
        },
      });
      const executionId = await svc.start(REFUSED);
      await svc.settle();
      t.is((await svc.story(executionId)).at(-1), 'ApprovalRequested a.undo');
      t.like(await statusOf(svc, executionId), { status: 'running' });
      isBroken = false;
      await svc.engine.decideApproval({
        ...by,
        executionId,
        decision,
        nodeId: 'a.undo',
        userId: 'ann',
        comment: null,
        statePatch: null,
      });
      await svc.settle();
      t.deepEqual(await statusOf(svc, executionId), {
        status: 'failed',
        error: 'refused',
        undone: decision === 'approved' ? 1 : 0,
        failed: decision === 'approved' ? 0 : 1,
      });
      t.deepEqual(svc.troubles, []);
    }
  });

  test(`${dialect}: the undo of a parent undoes a child that has completed; the child stays`, async (t) => {
    const { store } = await open(t);
    const outputs: unknown[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId, scope }) {
        outputs.push([nodeId, scope.output]);
        return DONE;
      },
    });
    await svc.engine.registerWorkflow({
      ...by,
      ir: {
        workflow_id: `child-${dialect}`,
        nodes: { step: { kind: { type: 'pass', output: { id: 'c1' } }, undo: CALL } },
      },
    });
    const child = { type: 'subgraph', workflow_ref: `child-${dialect}` };
    const executionId = await svc.start({
      start_node: 'a',
      nodes: {
        a: { kind: child, input_mapping: { literal: {} }, undo: CALL },
        no: { kind: 'fail', message: 'refused' },
      },
      edges: [{ from: 'a', to: 'no' }],
    });
    await svc.settle();
    t.deepEqual(outputs, [['a.undo', { id: 'c1' }]]);
    t.like(await statusOf(svc, executionId), { status: 'failed', undone: 1 });
  });

  test(`${dialect}: a child that is cancelled undoes its own steps`, async (t) => {
    const { store } = await open(t);
    const ran: string[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId }) {
        ran.push(nodeId);
        return DONE;
      },
    });
    await svc.engine.registerWorkflow({
      ...by,
      ir: {
        workflow_id: `held-${dialect}`,
        start_node: 'step',
        nodes: { step: { kind: 'pass', undo: CALL }, wait: WORKER },
        edges: [{ from: 'step', to: 'wait' }],
      },
    });
    const kind = { type: 'subgraph', workflow_ref: `held-${dialect}` };
    const executionId = await svc.start({ nodes: { a: { kind, undo: CALL } } });
    await svc.settle();
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    t.deepEqual(ran, ['step.undo']);
    t.like(await statusOf(svc, executionId), { status: 'cancelled', undone: 0 });
  });

  test(`${dialect}: a run that continues another undoes the steps of both`, async (t) => {
    const { store } = await open(t);
    const undone: unknown[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId, scope }) {
        if (nodeId === 'a.undo') undone.push(scope.output);
        return { ok: true, output: { n: undone.length }, statePatch: {} };
      },
    });
    const executionId = await svc.start({
      start_node: 'count',
      nodes: {
        count: {
          kind: { type: 'pass', output: { n: { expr: '(has(state.n) ? state.n : 0) + 1' } } },
          undo: { ...CALL, id: 'a.undo' },
        },
        no: { kind: 'fail', message: 'refused' },
      },
      edges: [
        { from: 'count', to: 'count', condition: 'state.n < 3' },
        { from: 'count', to: 'no', condition: 'state.n >= 3' },
      ],
      continue_as_new: { when: 'state.n == 2' },
    });
    await svc.settle();
    t.deepEqual(undone, [{ n: 3 }, { n: 2 }, { n: 1 }]);
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.not(state.continuedAs, null);
  });
}
