import test from 'ava';

import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore } from '../../support/stores.ts';

const OF_ALL = { shards: [...Array(64).keys()], limit: 10 };
const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const atOnce = { max_attempts: 3, initial_delay: 0, backoff: 'fixed', jitter: false };

test('the late outcome of an attempt whose lease lapsed leaves the next attempt alone', async (t) => {
  const { store, age, close } = await openTestStore('sqlite');
  t.teardown(close);
  const outcomes = [0, 1].map(() => Promise.withResolvers<NodeOutcome>());
  const calls: NodeCall[] = [];
  const host = openTestEngine({
    store,
    run: (call) => {
      calls.push(call);
      return outcomes[call.attempt]?.promise ?? Promise.resolve(done);
    },
  });
  const executionId = await host.start({ nodes: { a: { kind: 'call' } }, edges: [] });
  await host.turn();
  t.is(calls.length, 1);
  await age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
  while (calls.length < 2) {
    await host.turn();
    await new Promise((resolve) => setImmediate(resolve));
  }
  outcomes[0]?.resolve({ ok: false, error: 'late', errorClass: 'error' });
  await new Promise((resolve) => setImmediate(resolve));
  const { found } = await host.scheduling.renewOwnLeases();
  t.is(found, 1, 'the lease of the attempt under way is kept alive');
  outcomes[1]?.resolve(done);
  await host.settle();
  t.is(calls.length, 2);
  t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
});

test('a retry taken from the queue is run on the history that led to it', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  const slow = Promise.withResolvers<NodeOutcome>();
  const here = openTestEngine({
    store,
    run: (call) => ((call.spec as { slow?: true }).slow ? slow.promise : Promise.resolve(done)),
  });
  const there = openTestEngine({
    store,
    run: async () => ({ ok: false, error: 'broke', errorClass: 'error' }),
  });
  const wait = { type: 'wait', condition: 'external_event', correlation_key: 'k' };
  const executionId = await here.start({
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ['slow', 'wait'] } },
      slow: { kind: { type: 'call', slow: true } },
      wait: { kind: wait },
      after: { kind: 'call', retry_policy: atOnce },
    },
    edges: [{ from: 'wait', to: 'after' }],
  });
  await here.turn();
  await here.engine.deliverExternalEvent({
    tenantId: TENANT,
    executionId,
    actorId: 'token:test',
    correlationKey: 'k',
    payload: {},
  });
  // Another process, which knows that no older item waits, decides on the event, and fails the first attempt of the next
  // node.
  await there.scheduling.runQueuedNodes(OF_ALL);
  await there.scheduling.advance(executionId);
  t.is((await here.story(executionId)).at(-1), 'RetryScheduled after');
  await here.scheduling.runQueuedNodes(OF_ALL);
  for (let turn = 0; turn < 5; turn += 1) {
    await here.scheduling.advanceRunnable(OF_ALL);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.true((await here.story(executionId)).includes('NodeCompleted after'));
  slow.resolve(done);
  await here.settle();
  t.is((await here.story(executionId)).at(-1), 'WorkflowCompleted');
});

test('a run that never heeds its signal does not keep the execution from resting', async (t) => {
  const { store, age, close } = await openTestStore('sqlite');
  t.teardown(close);
  const host = openTestEngine({ store, run: () => new Promise<NodeOutcome>(() => undefined) });
  await host.start({
    nodes: {
      a: { kind: 'call', retry_policy: 'no_retry', fallback_node: 'ask' },
      ask: { kind: 'human_approval' },
    },
    edges: [],
    start_node: 'a',
  });
  await host.turn();
  await age({ table: 'work_leases', columns: ['expires_at'], byMs: 31_000 });
  await host.scheduling.reclaimLeases(OF_ALL);
  await host.scheduling.renewOwnLeases();
  await host.settle();
  t.is(host.scheduling.underWay(), 0);
});
