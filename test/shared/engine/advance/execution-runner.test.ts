import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { NodeCall, NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

function chain(length: number): JsonObject {
  const ids = Array.from({ length }, (_, index) => `n${index}`);
  return {
    start_node: 'n0',
    nodes: Object.fromEntries(ids.map((id) => [id, { kind: 'call' }])),
    edges: ids.slice(1).map((to, index) => ({ from: `n${index}`, to })),
  };
}

const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const opened = openTestStore(dialect);
  test.after.always(async () => (await opened).close());

  const named = (title: string, run: (t: ExecutionContext) => Promise<void>): void => {
    test.serial(`${title} (${dialect})`, run);
  };

  named('a chain inside the engine costs one commit a node', async (t) => {
    const { store } = await opened;
    const host = openTestEngine({ store });
    const executionId = await host.start(chain(10));
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
    // One for the start, and one per node.
    t.is(host.counts.get('commits'), 11);
    t.deepEqual(host.troubles, []);
  });

  named('outcomes that are ready together are settled in one commit', async (t) => {
    const { store } = await opened;
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const run = async (): Promise<NodeOutcome> => {
      waiting += 1;
      if (waiting === 8) gate.resolve();
      await gate.promise;
      return done;
    };
    const host = openTestEngine({ store, run });
    const branches = Array.from({ length: 8 }, (_, index) => `b${index}`);
    const executionId = await host.start({
      start_node: 'split',
      nodes: {
        split: { kind: { type: 'parallel', branches } },
        ...Object.fromEntries(branches.map((id) => [id, { kind: 'call' }])),
      },
      edges: [],
    });
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
    t.true((host.counts.get('commits') ?? 0) <= 4, `${host.counts.get('commits')} commits`);
  });

  named('every attempt of a visit carries the same key; the last failure is final', async (t) => {
    const { store } = await opened;
    const calls: NodeCall[] = [];
    const run = async (call: NodeCall): Promise<NodeOutcome> => {
      calls.push(call);
      return { ok: false, error: 'broke', errorClass: 'error' };
    };
    const host = openTestEngine({ store, run });
    const retry = { max_attempts: 3, initial_delay: 0, backoff: 'fixed', jitter: false };
    const executionId = await host.start({
      nodes: { a: { kind: 'call', retry_policy: retry } },
      edges: [],
    });
    await host.settle();
    t.deepEqual(
      calls.map((call) => call.attempt),
      [0, 1, 2],
    );
    t.is(new Set(calls.map((call) => call.idempotencyKey)).size, 1);
    t.deepEqual(await host.story(executionId), [
      'WorkflowStarted',
      'NodeScheduled a',
      'NodeFailed a',
      'RetryScheduled a',
      'NodeFailed a',
      'RetryScheduled a',
      'NodeFailed a',
      'WorkflowFailed',
    ]);
  });

  named('a cancel while a node runs wins: its outcome is not recorded', async (t) => {
    const { store } = await opened;
    const started = Promise.withResolvers<NodeCall>();
    const finish = Promise.withResolvers<void>();
    const run = async (call: NodeCall): Promise<NodeOutcome> => {
      started.resolve(call);
      await finish.promise;
      return done;
    };
    const host = openTestEngine({ store, run });
    const executionId = await host.start(chain(2));
    await host.turn();
    await started.promise;
    await host.engine.cancelExecution({ tenantId: TENANT, executionId, actorId: 'token:test' });
    finish.resolve();
    await host.settle();
    t.deepEqual(await host.story(executionId), [
      'WorkflowStarted',
      'NodeScheduled n0',
      'NodeCancelled n0',
      'WorkflowCancelled',
    ]);
  });

  named('a fact that comes while a node runs is decided upon at once', async (t) => {
    const { store } = await opened;
    const finish = Promise.withResolvers<void>();
    const host = openTestEngine({
      store,
      run: async () => {
        await finish.promise;
        return done;
      },
    });
    const wait = { type: 'wait', condition: 'external_event', correlation_key: 'k' };
    const executionId = await host.start({
      start_node: 'split',
      nodes: {
        split: { kind: { type: 'parallel', branches: ['slow', 'wait'] } },
        slow: { kind: 'call' },
        wait: { kind: wait },
        after: { kind: 'pass' },
      },
      edges: [{ from: 'wait', to: 'after' }],
    });
    await host.turn();
    await host.engine.deliverExternalEvent({
      tenantId: TENANT,
      executionId,
      actorId: 'token:test',
      correlationKey: 'k',
      payload: { n: 1 },
    });
    while (!(await host.story(executionId)).includes('NodeCompleted after')) await host.turn();
    finish.resolve();
    await host.settle();
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
    t.deepEqual(host.troubles, []);
  });

  named('two schedulers on the same shards complete every node once', async (t) => {
    const { store } = await opened;
    const run = async (): Promise<NodeOutcome> => done;
    const hosts = [openTestEngine({ store, run }), openTestEngine({ store, run })] as const;
    const started = await Promise.all(Array.from({ length: 20 }, () => hosts[0].start(chain(4))));
    await Promise.all(hosts.map((host) => host.settle()));
    await hosts[0].settle();
    for (const executionId of started) {
      const story = await hosts[0].story(executionId);
      t.is(story.at(-1), 'WorkflowCompleted');
      for (const node of ['n0', 'n1', 'n2', 'n3']) {
        t.is(story.filter((line) => line === `NodeCompleted ${node}`).length, 1);
      }
    }
    t.deepEqual(
      hosts.flatMap((host) => host.troubles),
      [],
    );
  });

  named(
    'a lapsed lease of a dead process counts as an attempt, and another process continues',
    async (t) => {
      const { store } = await opened;
      const never = new Promise<NodeOutcome>(() => undefined);
      const dead = openTestEngine({ store, run: () => never, leaseMs: 0 });
      const executionId = await dead.start(chain(1));
      await dead.scheduling.runQueuedNodes({ shards: [...Array(64).keys()], limit: 10 });
      const alive = openTestEngine({ store });
      await alive.settle();
      t.deepEqual(await alive.story(executionId), [
        'WorkflowStarted',
        'NodeScheduled n0',
        'NodeFailed n0',
        'RetryScheduled n0',
        'NodeCompleted n0',
        'WorkflowCompleted',
      ]);
    },
  );

  named('a drain gives unfinished items back, and the attempt does not count', async (t) => {
    const { store } = await opened;
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const leaving = openTestEngine({
      store,
      run: (call) =>
        new Promise((resolve) => {
          started.resolve();
          call.signal.addEventListener('abort', () => {
            aborted.resolve();
            resolve({ ok: false, error: 'aborted', errorClass: 'aborted' });
          });
        }),
    });
    const executionId = await leaving.start(chain(1));
    await leaving.turn();
    await started.promise;
    await leaving.scheduling.drain({ deadlineMs: 0 });
    await aborted.promise;
    const calls: NodeCall[] = [];
    const next = openTestEngine({
      store,
      run: async (call) => {
        calls.push(call);
        return done;
      },
    });
    await next.settle();
    t.deepEqual(
      calls.map((call) => call.attempt),
      [0],
    );
    t.is((await next.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  named('an execution is read while it runs, and its reading never loses an event', async (t) => {
    const { store } = await opened;
    const host = openTestEngine({
      store,
      run: async () => ({ ok: true, output: { n: 1 }, statePatch: { n: 1 } }),
    });
    const executionId: ExecutionId = await host.start(chain(40), { total: 5 });
    const settled = host.settle();
    let last = 0;
    for (let reading = 0; reading < 20; reading += 1) {
      const view = await host.engine.readExecution({ tenantId: TENANT, executionId });
      t.true(view.state.sequence >= last);
      last = view.state.sequence;
    }
    await settled;
    const view = await host.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(view.row.status, 'completed');
    t.is(view.state.stepsExecuted, 40);
    t.deepEqual(view.state.data, { total: 5, n: 1 });
  });
}
