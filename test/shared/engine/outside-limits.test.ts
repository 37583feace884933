import { emptyCommit } from '../../../src/shared/store/commit.ts';
import test from 'ava';

import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

test('a cancel aborts what runs in this process at once', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const started = Promise.withResolvers<NodeCall>();
  const host = openTestEngine({
    store,
    run: (call) => {
      started.resolve(call);
      return new Promise<NodeOutcome>(() => undefined);
    },
  });
  const executionId = await host.start({ nodes: { a: { kind: 'call' } }, edges: [] });
  await host.turn();
  const { signal } = await started.promise;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await host.engine.cancelExecution({ tenantId: TENANT, executionId, actorId: 'token:test' });
  await aborted;
  await host.settle();
  t.is(host.scheduling.underWay(), 0);
});

test('a lapsed lease is retried, with any classes that a workflow lists as retryable', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const host = openTestEngine({ store, leaseMs: 0 });
  const retry = { max_attempts: 2, retryable_on: ['network'] };
  const kind = { type: 'python_fn', module: 'm', function: 'f' };
  const executionId = await host.start({
    nodes: { a: { kind, retry_policy: retry } },
    edges: [],
  });
  const [first] = await host.claim();
  await host.settle();
  t.deepEqual(await host.story(executionId), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeFailed a',
    'RetryScheduled a',
  ]);
  const [second] = await host.claim('worker-2');
  t.is(second?.attempt, 1);
  t.is(second?.record.idempotencyKey, first?.record.idempotencyKey);
  t.true((second?.leaseFence ?? 0) > (first?.leaseFence ?? 0));
});

test('409: an execution keeps a bounded number of events nobody waits for', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const host = openTestEngine({ store });
  const executionId = await host.start({ nodes: { a: { kind: 'human_approval' } }, edges: [] });
  const event = { tenantId: TENANT, executionId, actorId: 'token:test', payload: 1 };
  // Written directly to the log, as if by a thousand requests.
  const row = await store.executions.find(executionId, TENANT);
  const payload = JSON.stringify({ correlation_key: 'k', payload: 1 });
  await store.executions.commit([
    {
      ...emptyCommit({ executionId, tenantId: TENANT }),
      expectedSequence: row?.lastSequence ?? 0,
      events: Array.from({ length: 10_000 }, () => ({
        kind: 'ExternalEventReceived' as const,
        nodeId: null,
        payload,
        actorId: 'token:test',
      })),
    },
  ]);
  await t.throwsAsync(host.engine.deliverExternalEvent({ ...event, correlationKey: 'k' }), {
    message: /10000 external events that no wait has taken/,
  });
});
