import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

/* Finalizers run once, after any end of the execution and despite crashes. */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const WORKER = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const ALWAYS = { kind: { type: 'cleanup', run_on: 'always' } };
const by = { tenantId: TENANT, actorId: 'token:t' };

async function statusOf({ engine }: TestEngine, executionId: ExecutionId) {
  const { row, state } = await engine.readExecution({ tenantId: TENANT, executionId });
  return { status: row.status, error: row.error, ending: state.ending?.outcome ?? null };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close, ...rest } = await openTestStore(dialect);
    t.teardown(close);
    return { store, ...rest };
  };

  test(`${dialect}: a cancel takes the work back at once, then finalizers run`, async (t) => {
    const { store } = await open(t);
    const [began, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const outcomes: unknown[] = [];
    const svc = openTestEngine({
      store,
      async run({ nodeId, scope }) {
        began.resolve();
        await gate.promise;
        outcomes.push([nodeId, scope.execution['outcome'], scope.execution['error']]);
        return DONE;
      },
    });
    const executionId = await svc.start({ nodes: { a: WORKER, f: ALWAYS } });
    await svc.settle();
    const [item] = await svc.claim();
    await svc.engine.cancelExecution({ ...by, executionId });
    t.deepEqual(await statusOf(svc, executionId), {
      status: 'running',
      error: null,
      ending: 'cancelled',
    });
    t.deepEqual((await svc.story(executionId)).slice(-2), ['NodeCancelled a', 'WorkflowEnding']);
    const late = svc.complete(item);
    await t.throwsAsync(late);

    await svc.turn();
    await began.promise;
    const before = (await svc.story(executionId)).length;
    await svc.engine.cancelExecution({ ...by, executionId });
    t.is((await svc.story(executionId)).length, before);
    gate.resolve();
    await svc.settle();
    t.deepEqual(outcomes, [['f', 'cancelled', null]]);
    t.deepEqual((await svc.story(executionId)).slice(-3), [
      'NodeScheduled f',
      'NodeCompleted f',
      'WorkflowCancelled',
    ]);
    t.deepEqual(await statusOf(svc, executionId), {
      status: 'cancelled',
      error: null,
      ending: null,
    });
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a run whose execution is cancelled under it gets a request to stop`, async (t) => {
    const { store } = await open(t);
    const stopped = Promise.withResolvers<void>();
    const svc = openTestEngine({
      store,
      async run({ nodeId, signal }) {
        if (nodeId === 'a') signal.addEventListener('abort', () => stopped.resolve());
        // The finalizer also waits until the other node has received the request.
        await stopped.promise;
        return DONE;
      },
    });
    const executionId = await svc.start({ nodes: { a: { kind: 'call' }, f: ALWAYS } });
    await svc.turn();
    await svc.turn();
    await svc.engine.cancelExecution({ ...by, executionId });
    await svc.settle();
    await stopped.promise;
    t.is((await svc.story(executionId)).at(-1), 'WorkflowCancelled');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: a process that dies in a finalizer: it is run again under the same key`, async (t) => {
    const { store, age } = await open(t);
    const dying = openTestEngine({ store, run: () => new Promise<never>(() => undefined) });
    const executionId = await dying.start({ nodes: { a: {}, f: ALWAYS } });
    await dying.turn();
    await dying.turn();
    t.is((await dying.story(executionId)).at(-1), 'NodeScheduled f');

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
      calls.map(({ nodeId, visit, attempt }) => [nodeId, visit, attempt]),
      [['f', 0, 1]],
    );
    const story = await heir.story(executionId);
    t.deepEqual(story.slice(-2), ['NodeCompleted f', 'WorkflowCompleted']);
    t.is(story.filter((line) => line === 'NodeScheduled f').length, 1);
  });

  test(`${dialect}: a process that dies right after the cancel leaves the finalizer to others`, async (t) => {
    const { store } = await open(t);
    const dying = openTestEngine({ store });
    const executionId = await dying.start({ nodes: { a: WORKER, f: ALWAYS } });
    await dying.settle();
    await dying.engine.cancelExecution({ ...by, executionId });

    const heir = openTestEngine({ store });
    await heir.settle();
    t.deepEqual((await heir.story(executionId)).slice(-4), [
      'WorkflowEnding',
      'NodeScheduled f',
      'NodeCompleted f',
      'WorkflowCancelled',
    ]);
  });

  test(`${dialect}: a finalizer is retried, and its failure fails what would have completed`, async (t) => {
    const { store } = await open(t);
    let runs = 0;
    const svc = openTestEngine({
      store,
      async run() {
        runs += 1;
        return { ok: false, error: 'no', errorClass: 'unreachable' };
      },
    });
    const retry_policy = { max_attempts: 2, initial_delay: 0 };
    const executionId = await svc.start({ nodes: { a: {}, f: { ...ALWAYS, retry_policy } } });
    await svc.settle();
    t.is(runs, 2);
    t.like(await statusOf(svc, executionId), {
      status: 'failed',
      error: 'finalizer f failed: no',
    });
  });
}

test('an execution whose definition cannot be read any more can still be cancelled', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const first = openTestEngine({ store });
  const executionId = await first.start({ nodes: { a: WORKER, f: ALWAYS } });
  await first.settle();
  const svc = openTestEngine({
    store: {
      ...store,
      definitions: {
        ...store.definitions,
        find: () => Promise.reject(new Error('no kind of this release')),
      },
    },
  });
  await svc.engine.cancelExecution({ ...by, executionId });
  t.is((await first.story(executionId)).at(-1), 'WorkflowCancelled');
  t.regex(String(svc.troubles[0]), /cancelled without its definition.*no kind of this release/);
});
