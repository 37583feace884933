import test, { type ExecutionContext } from 'ava';

import {
  awaitResult,
  startAndAwait,
} from '../../../../../src/shared/engine/executions/results/await-result.ts';
import { type Store, StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

/* Waiting for the end of an execution, and what it costs in reads of the store. */

const ONE = {
  nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } },
  edges: [],
};
const CALLER = { tenantId: TENANT, actorId: 'token:test' };
const WAITING = { waitMs: 60_000, withState: false, signal: new AbortController().signal };
const OUTPUT = { total: 3 };
const COUNTED = ['find', 'load', 'hasEnded'] as const;

interface Given {
  readonly host: TestEngine;
  /** Another process on the same store. */
  readonly other: TestEngine;
  /** Takes the names of the reads that `host` has made since the last call. */
  readonly reads: () => readonly string[];
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, given: Given) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const made: string[] = [];
      const host = openTestEngine({ store: counting(store, made) });
      await run(t, { host, other: openTestEngine({ store }), reads: () => made.splice(0) });
      t.deepEqual(host.troubles, []);
    });

  check('a start that waits for its end reads nothing for it', async (t, { host, reads }) => {
    await host.engine.registerWorkflow({ ...CALLER, ir: { workflow_id: 'w', ...ONE } });
    const ends = [startWaiting(host), startWaiting(host)];
    const items = [...(await claimed(host)), ...(await claimed(host))];
    reads();
    for (const item of items) await host.complete(item, { output: OUTPUT, statePatch: OUTPUT });
    for (const end of await Promise.all(ends)) t.like(end, { ended: { output: OUTPUT } });
    // All that wait are looked at once a second.
    t.deepEqual(
      reads().filter((name) => name !== 'hasEnded'),
      [],
    );
  });

  check('all who wait for a running execution learn of its end', async (t, { host, reads }) => {
    const executionId = await host.start(ONE);
    const [item] = await claimed(host);
    reads();
    const ends = Array.from({ length: 3 }, () =>
      awaitResult(host.deps, CALLER, { ...WAITING, executionId }),
    );
    t.deepEqual(reads(), ['find', 'find', 'find']);
    await Promise.resolve();
    await host.complete(item, { output: OUTPUT, statePatch: OUTPUT });
    for (const end of await Promise.all(ends)) {
      t.like(end, { ended: { executionId, status: 'completed', output: OUTPUT } });
    }
  });

  check('an end that another process commits is read', async (t, { host, other }) => {
    const executionId = await host.start(ONE);
    const end = awaitResult(host.deps, CALLER, { ...WAITING, executionId });
    const [item] = await claimed(other);
    await other.complete(item, { output: OUTPUT, statePatch: OUTPUT });
    t.like(await end, { ended: { executionId, status: 'completed', output: OUTPUT } });
  });

  check('an end that did not complete is read with its error', async (t, { host }) => {
    const retry_policy = { max_attempts: 1 };
    const executionId = await host.start({
      nodes: { a: { ...ONE.nodes.a, retry_policy } },
      edges: [],
    });
    const end = awaitResult(host.deps, CALLER, { ...WAITING, executionId });
    await host.fail((await claimed(host))[0]);
    await host.settle();
    t.like(await end, { ended: { status: 'failed', error: { nodeId: 'a', errorClass: 'error' } } });
  });

  test(`${dialect}: a start tells its id also when the store fails while it waits`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const executions: Store['executions'] = {
      ...store.executions,
      hasEnded: async () => {
        throw new StoreUnavailableError('connection lost', { ambiguous: false });
      },
    };
    const host = openTestEngine({ store: { ...store, executions } });
    await host.engine.registerWorkflow({ ...CALLER, ir: { workflow_id: 'w', ...ONE } });
    const answer = await startWaiting(host, 1);
    const [started] = await claimed(host);
    t.deepEqual(answer, {
      pending: { executionId: started?.record.executionId, status: 'running' },
    });
    const { executionId } = await host.engine.startExecution({ ...CALLER, ...START });
    await t.throwsAsync(
      awaitResult(host.deps, CALLER, { ...WAITING, waitMs: 1, executionId }),
      { instanceOf: StoreUnavailableError },
      'a request for the result of a known execution fails with the store',
    );
  });

  check('nothing stays of a caller that has left', async (t, { host }) => {
    const executionId = await host.start(ONE);
    const waiting = { ...WAITING, waitMs: 1, executionId };
    t.deepEqual(await awaitResult(host.deps, CALLER, waiting), {
      pending: { executionId, status: 'running' },
    });
    await host.complete((await claimed(host))[0]);
    const late = host.deps.endsHere.expect(executionId);
    t.is(late.committed(), null);
  });
}

test('a caller whose time is over as the execution ends gets its result', async (t) => {
  const { store, close } = await openTestStore('sqlite');
  t.teardown(close);
  let finds = 0;
  // It ends between the last look and the last reading of its row.
  const executions: Store['executions'] = {
    ...store.executions,
    hasEnded: async () => false,
    async find(id, tenantId) {
      finds += 1;
      const row = await store.executions.find(id, tenantId);
      return row === null || finds > 1 ? row : { ...row, status: 'running' };
    },
  };
  const host = openTestEngine({ store: { ...store, executions } });
  const executionId = await host.start({ nodes: { a: { kind: 'call' } } });
  await host.settle();
  const end = await awaitResult(host.deps, CALLER, { ...WAITING, waitMs: 1, executionId });
  t.like(end, { ended: { executionId, status: 'completed' } });
});

const START = {
  workflowId: 'w',
  workflowVersion: null,
  input: {},
  priority: 5,
  idempotencyKey: null,
};

function startWaiting(host: TestEngine, waitMs = WAITING.waitMs) {
  return startAndAwait(host.deps, CALLER, { ...WAITING, waitMs, start: START });
}

/** Claims until there is an item: a start may be under way. */
async function claimed(host: TestEngine) {
  for (;;) {
    const items = await host.claim();
    if (items.length > 0) return items;
  }
}

/** The same store, which tells which reads of executions it is asked for. */
function counting(store: Store, made: string[]): Store {
  const executions = { ...store.executions };
  for (const name of COUNTED) {
    const read = store.executions[name] as (...args: readonly unknown[]) => unknown;
    Reflect.set(executions, name, (...args: readonly unknown[]) => {
      made.push(name);
      return read(...args);
    });
  }
  return { ...store, executions };
}
