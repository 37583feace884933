import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { TenantLimits } from '../../../src/shared/domain/tenant.ts';
import type { NodeCall, NodeOutcome } from '../../../src/shared/nodes/run.ts';
import type { CommitPlan } from '../../../src/shared/store/commit.ts';
import { type Store, StoreUnavailableError } from '../../../src/shared/store/store.ts';
import { openTestEngine, TENANT } from '../../support/engine.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';

/*
 * The database has executed a request, and the answer is lost. Nobody else can take the items that
 * it leased to the process until the leases lapse. A lapse counts as an attempt, so an item with a
 * single attempt would fail.
 */

const SHARDS = [...Array(64).keys()];
const CHAIN: JsonObject = {
  nodes: {
    a: { kind: 'call', retry_policy: 'no_retry' },
    b: { kind: 'call', retry_policy: 'no_retry' },
  },
  edges: [{ from: 'a', to: 'b' }],
};
const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const failed: NodeOutcome = { ok: false, errorClass: 'error', error: 'it broke' };
const WAITING = {
  kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' },
};
const UNCHANGED = { name: null, status: null, policy: null };

function isRetry({ create, bornLeased }: CommitPlan): boolean {
  return create?.isDerived === true && bornLeased.length > 0;
}

type Lost = { readonly commit?: (plan: CommitPlan) => boolean; readonly claim?: boolean };

/** The same store, which loses one of the selected answers. */
function losing(store: Store, lost: Lost): Store {
  let isLost = false;
  const once = async <Answer>(loses: boolean, asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked;
    if (isLost || !loses) return answer;
    isLost = true;
    throw new StoreUnavailableError('the connection broke', { ambiguous: true });
  };
  return {
    ...store,
    executions: {
      ...store.executions,
      commit: (plans) =>
        once(
          plans.some((plan) => lost.commit?.(plan)),
          store.executions.commit(plans),
        ),
    },
    work: {
      ...store.work,
      claim: async (request) => {
        const claimed = await store.work.claim(request);
        return once((lost.claim ?? false) && claimed.length > 0, Promise.resolve(claimed));
      },
    },
  };
}

function open({ store }: TestStore, lost: Lost) {
  const calls: string[] = [];
  const run = async ({ nodeId, attempt }: NodeCall): Promise<NodeOutcome> => {
    calls.push(`${nodeId} ${attempt}`);
    return done;
  };
  return { calls, host: openTestEngine({ store: losing(store, lost), run }) };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const opened = openTestStore(dialect);
  test.after.always(async () => (await opened).close());

  const named = (title: string, run: (t: ExecutionContext, on: TestStore) => Promise<void>): void =>
    test.serial(`${title} (${dialect})`, async (t) => run(t, await opened));

  named(
    'to a commit that led to the next node: it is run, under its first attempt',
    async (t, on) => {
      const { host, calls } = open(on, { commit: ({ settles }) => settles.length > 0 });
      const executionId = await host.start(CHAIN);
      await host.settle();
      t.deepEqual(calls, ['a 0', 'b 0']);
      t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
    },
  );

  named('to a start whose first node is to run here: it is run', async (t, on) => {
    const { host, calls } = open(on, { commit: ({ bornLeased }) => bornLeased.length > 0 });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    // The engine has now checked the queue for older items.
    await host.turn();
    await t.throwsAsync(host.start(CHAIN), { instanceOf: StoreUnavailableError });
    await host.settle();
    t.deepEqual(calls, ['a 0', 'b 0']);
  });

  named('to a start, and then the database is away: it is run later', async (t, on) => {
    let outage = 2;
    const { store } = on;
    const executions: Store['executions'] = {
      ...store.executions,
      load: async (...of) => {
        if (outage === 0) return store.executions.load(...of);
        outage -= 1;
        throw new StoreUnavailableError('nobody listens', { ambiguous: false });
      },
    };
    const away: TestStore = { ...on, store: { ...store, executions } };
    const { host, calls } = open(away, { commit: ({ bornLeased }) => bornLeased.length > 0 });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await host.turn();
    await t.throwsAsync(host.start(CHAIN), { instanceOf: StoreUnavailableError });
    for (let turn = 0; turn < 4; turn += 1) await host.turn();
    await host.settle();
    t.is(outage, 0);
    t.deepEqual(calls, ['a 0', 'b 0']);
  });

  named('to a start of what cannot be read then: it is set aside', async (t, on) => {
    let readings = 0;
    const { store } = on;
    const executions: Store['executions'] = {
      ...store.executions,
      load: async () => {
        readings += 1;
        throw new Error('the snapshot is not JSON');
      },
    };
    const broken: TestStore = { ...on, store: { ...store, executions } };
    const { host } = open(broken, { commit: ({ bornLeased }) => bornLeased.length > 0 });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await host.turn();
    await t.throwsAsync(host.start(CHAIN), { instanceOf: StoreUnavailableError });
    for (let turn = 0; turn < 4; turn += 1) await host.turn();
    await host.settle();
    t.is(readings, 1);
  });

  test.serial(`to a start without a place: repeated, it waits for one (${dialect})`, async (t) => {
    const on = await openTestStore(dialect);
    t.teardown(on.close);
    const by = { tenantId: TENANT, actorId: 'token:t' };
    const unlimited = openTestEngine({ store: on.store, run: async () => failed });
    const executionId = await unlimited.start(CHAIN);
    await unlimited.settle();
    const blocking = await unlimited.start({ nodes: { go: WAITING } });
    const limits: TenantLimits = { max_concurrent_executions: 1, when_full: 'queue' };
    await on.store.tenants.update(TENANT, { ...UNCHANGED, limits, actorId: 'token:t' });
    const { host, calls } = open(on, { commit: isRetry });
    host.scheduling.takeStarts({ shards: SHARDS, underWayMax: 100 });
    await host.turn();
    const retry = () =>
      host.engine.retryExecution({ ...by, executionId, statePatch: {}, revision: 'same' });
    await t.throwsAsync(retry(), { instanceOf: StoreUnavailableError });
    const { executionId: retried } = await retry();
    await host.settle();
    t.deepEqual(await host.story(retried), ['WorkflowStarted']);
    await host.engine.cancelExecution({ ...by, executionId: blocking });
    await host.settle();
    t.deepEqual(calls, ['a 0', 'b 0']);
  });

  named('to a claim: the items that it has leased run', async (t, on) => {
    const { host, calls } = open(on, { claim: true });
    const executionId = await host.start(CHAIN);
    await t.throwsAsync(host.turn(), { instanceOf: StoreUnavailableError });
    await host.settle();
    t.deepEqual(calls, ['a 0', 'b 0']);
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
  });

  named('to a commit that was not made: current work continues, and once', async (t, on) => {
    const { store } = on;
    let refusals = 1;
    const failing: Store = {
      ...store,
      executions: {
        ...store.executions,
        commit: async (plans) => {
          const isFirst = plans.some(({ settles }) => settles.length > 0) && refusals > 0;
          if (!isFirst) return store.executions.commit(plans);
          refusals -= 1;
          throw new StoreUnavailableError('the connection broke', { ambiguous: true });
        },
      },
    };
    const calls: string[] = [];
    const host = openTestEngine({
      store: failing,
      run: async ({ nodeId, attempt }) => {
        calls.push(`${nodeId} ${attempt}`);
        return done;
      },
    });
    const executionId = await host.start(CHAIN);
    await host.settle();
    t.deepEqual(calls, ['a 0', 'b 0']);
    t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
  });
}
