import test, { type ExecutionContext } from 'ava';

import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { LeaseLostError } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

/* Effects of a run of an in-engine node, besides its result. */

const DONE: NodeOutcome = { ok: true, output: { done: true }, statePatch: {} };
const ONE = { nodes: { a: { kind: 'call', output_key: 'a' } } };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return store;
  };

  test(`${dialect}: records of a run are durable, and kept for the next attempt`, async (t) => {
    const calls: NodeCall['progress'][] = [];
    const svc = openTestEngine({
      store: await open(t),
      async run(call) {
        calls.push(call.progress);
        if (call.attempt > 0) return DONE;
        await call.record({ name: 'seen', data: { is: 1 }, kept: false });
        await call.record({ name: 'task', data: { id: 'x' }, kept: true });
        return { ok: false, error: 'no', errorClass: 'unreachable' };
      },
    });
    const retry_policy = { max_attempts: 2, initial_delay: 0 };
    const id = await svc.start({ nodes: { a: { kind: 'call', retry_policy } } });
    await svc.settle();
    t.deepEqual(calls, [{}, { task: { id: 'x' } }]);
    t.deepEqual(await svc.story(id), [
      'WorkflowStarted',
      'NodeScheduled a',
      'NodeProgress a',
      'NodeProgress a',
      'NodeFailed a',
      'RetryScheduled a',
      'NodeCompleted a',
      'WorkflowCompleted',
    ]);
  });

  test(`${dialect}: a run that has lost its execution cannot record`, async (t) => {
    const lost = Promise.withResolvers<unknown>();
    const svc = openTestEngine({
      store: await open(t),
      async run(call) {
        const { executionId } = call;
        await svc.engine.cancelExecution({ tenantId: TENANT, actorId: 'token:t', executionId });
        await call.record({ name: 'late', data: {}, kept: true }).catch(lost.resolve);
        return DONE;
      },
    });
    const id = await svc.start(ONE);
    await svc.settle();
    t.true((await lost.promise) instanceof LeaseLostError);
    t.deepEqual((await svc.story(id)).slice(-2), ['NodeCancelled a', 'WorkflowCancelled']);
  });

  test(`${dialect}: a parked run continues with the event it was parked for`, async (t) => {
    const keys: string[] = [];
    const svc = openTestEngine({
      store: await open(t),
      async run({ resumedWith, idempotencyKey, attempt }) {
        keys.push(`${idempotencyKey}/${attempt}`);
        return resumedWith.length < 2
          ? { ok: 'parked', until: { event: 'more' } }
          : { ok: true, output: { got: [...resumedWith] }, statePatch: {} };
      },
    });
    const executionId = await svc.start(ONE);
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    await svc.settle();
    t.is((await svc.engine.readExecution(of)).row.status, 'paused');
    await svc.engine.deliverExternalEvent({ ...of, correlationKey: 'more', payload: 1 });
    await svc.engine.deliverExternalEvent({ ...of, correlationKey: 'more', payload: 2 });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.deepEqual([row.status, state.data['a'], state.mailbox], ['completed', { got: [1, 2] }, []]);
    t.is(new Set(keys).size, 1);
  });

  test(`${dialect}: a run asks for an approval, and continues with the approved call`, async (t) => {
    const svc = openTestEngine({
      store: await open(t),
      async run(call) {
        const shown = { amount: 5 };
        if (call.isApproved(shown)) return { ok: true, output: shown, statePatch: {} };
        return { ok: 'parked', until: { approval: { description: 'pay', shown } } };
      },
    });
    const executionId = await svc.start(ONE);
    const of = { tenantId: TENANT, actorId: 'token:t', executionId };
    await svc.settle();
    const { pending } = await svc.engine.listApprovals(of);
    t.is(pending[0]?.description, 'pay');
    const approve = { nodeId: null, userId: 'ann', comment: null, statePatch: { by: 'ann' } };
    await svc.engine.decideApproval({ ...of, ...approve, decision: 'approved' });
    await svc.settle();
    const { row, state } = await svc.engine.readExecution(of);
    t.deepEqual([row.status, state.data], ['completed', { by: 'ann', a: { amount: 5 } }]);
  });

  test(`${dialect}: attempts that a rate limit turned away don't count`, async (t) => {
    const attempts: number[] = [];
    const svc = openTestEngine({
      store: await open(t),
      async run({ attempt }) {
        attempts.push(attempt);
        const limited = { ok: false, error: 'slow down', errorClass: 'rate_limited' } as const;
        return attempts.length < 4 ? { ...limited, retryAfterMs: 0 } : DONE;
      },
    });
    const id = await svc.start({ nodes: { a: { kind: 'call', retry_policy: 'no_retry' } } });
    await svc.settle();
    t.deepEqual(attempts, [0, 0, 0, 0]);
    t.is((await svc.story(id)).at(-1), 'WorkflowCompleted');
  });

  test(`${dialect}: a failure marked final is not tried again`, async (t) => {
    let runs = 0;
    const svc = openTestEngine({
      store: await open(t),
      async run() {
        runs += 1;
        return { ok: false, error: 'no', errorClass: 'unauthorized', final: true };
      },
    });
    const id = await svc.start(ONE);
    await svc.settle();
    t.is(runs, 1);
    t.is((await svc.story(id)).at(-1), 'WorkflowFailed');
  });

  test(`${dialect}: usage is counted, of failed attempts too`, async (t) => {
    const usage = { inputTokens: 3, outputTokens: 4, costUsd: 0.5, model: 'm' };
    const svc = openTestEngine({
      store: await open(t),
      async run({ attempt }) {
        return attempt === 0
          ? { ok: false, error: 'no', errorClass: 'error', usage }
          : { ...DONE, usage: { ...usage, costUsd: null } };
      },
    });
    const retry_policy = { max_attempts: 2, initial_delay: 0 };
    const executionId = await svc.start({ nodes: { a: { kind: 'call', retry_policy } } });
    await svc.settle();
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.deepEqual(state.usage, { inputTokens: 6, outputTokens: 8, costUsd: 0.5 });
  });
}
