import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { BulkAction } from '../../../../src/shared/engine/executions/bulk-executions.ts';
import { PLACES_TOPIC } from '../../../../src/shared/engine/wake/wake-bus.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Many executions change together: in a few transactions, and with a verdict for each. */

const BY = { tenantId: TENANT, actorId: 'token:test' };
const WORKFLOW = 'one-at-a-time';
const hold = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };
const MANY = 300;
/** A hundred are two lanes, or some more if the machine is busy. */
const TRANSACTIONS_MAX = 12;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: hundreds that wait are cancelled in a few transactions`, async (t) => {
    const { svc, batches } = await open(t, dialect);
    const ids = await startMany(svc, MANY);
    await svc.settle();
    batches.length = 0;
    const outcomes = await act(svc, 'cancel');
    t.deepEqual(outcomes.map(({ row }) => row.executionId).toSorted(), ids.toSorted());
    t.true(outcomes.every(({ outcome }) => outcome === 'done'));
    t.true(batches.length <= TRANSACTIONS_MAX, `they were ${batches.join(', ')}`);
    t.is((await svc.store.flow.listKeys(ALL_LINES)).keys.length, 0);
    for (const id of [ids[0], ids[MANY / 2]]) {
      const { events } = await svc.engine.readEvents({ ...BY, executionId: id ?? '', ...WHOLE });
      t.like(events.at(-1), { kind: 'WorkflowCancelled', actorId: BY.actorId });
    }
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: hundreds are paused and resumed in a few transactions`, async (t) => {
    const { svc, batches } = await open(t, dialect);
    await startMany(svc, MANY);
    await svc.settle();
    for (const action of ['pause', 'resume'] as const) {
      batches.length = 0;
      const outcomes = await act(svc, action);
      t.is(outcomes.filter(({ outcome }) => outcome === 'done').length, MANY);
      t.true(batches.length <= TRANSACTIONS_MAX, `they were ${batches.join(', ')}`);
    }
  });

  test(`${dialect}: the cancel of a wait hints at a free place only if it makes room`, async (t) => {
    const { svc } = await open(t, dialect);
    const all: ExecutionId[] = [];
    // One after the other, so that they are in the line in this order.
    for (let n = 0; n < 4; n += 1) all.push(...(await startMany(svc, 1)));
    const [holder, first, second, third] = all;
    await svc.settle();
    let hints = 0;
    svc.wake.subscribe(PLACES_TOPIC, () => (hints += 1));
    const hintsOf = async (executionId: ExecutionId | undefined) => {
      hints = 0;
      await svc.engine.cancelExecution({ ...BY, executionId: executionId ?? '' });
      await Promise.resolve();
      return hints;
    };
    t.is(await hintsOf(second), 0);
    t.is(await hintsOf(first), 1, 'the next may have other limits');
    t.is(await hintsOf(holder), 1);
    await svc.settle();
    t.true((await svc.story(third ?? ('' as ExecutionId))).includes('NodeScheduled go'));
  });

  test(`${dialect}: the cancel of a wait hints at the place that its tenant counts for it`, async (t) => {
    const { svc } = await open(t, dialect);
    const changes = { name: null, status: null, policy: null };
    const limits = { max_concurrent_executions: 4 };
    await svc.engine.registerWorkflow({
      ...BY,
      ir: { workflow_id: 'child', nodes: { go: hold } },
    });
    await startMany(svc, 3);
    const parent = await svc.start({
      start_node: 'all',
      nodes: {
        all: { kind: { type: 'parallel', branches: ['a', 'b'] } },
        a: { kind: { type: 'subgraph', workflow_ref: 'child' } },
        b: { kind: { type: 'subgraph', workflow_ref: 'child' } },
      },
      edges: [],
    });
    await svc.engine.updateTenant({ ...BY, changes: { ...changes, limits } });
    await svc.settle();
    const childrenBegun = async () => {
      const { state } = await svc.engine.readExecution({ ...BY, executionId: parent });
      const ids = [...state.live.values()].flatMap(({ childId }) => childId ?? []);
      const stories = await Promise.all(ids.map((id) => svc.story(id)));
      return stories.filter((story) => story.includes('NodeScheduled go')).length;
    };
    t.is(await childrenBegun(), 1);
    let hints = 0;
    svc.wake.subscribe(PLACES_TOPIC, () => (hints += 1));
    const [last] = (await act(svc, 'cancel', 1)).map(({ row }) => row.executionId);
    t.not(last, undefined);
    await Promise.resolve();
    t.is(hints, 1);
    await svc.settle();
    t.is(await childrenBegun(), 2);
  });
}

const ALL_LINES = { limit: 10, lines: 10, batchBytesMax: 1_000 };
const WHOLE = { after: 0, limit: null };

async function open(t: ExecutionContext, dialect: Dialect) {
  const { store, close } = await openTestStore(dialect);
  t.teardown(close);
  const batches: number[] = [];
  const svc = openTestEngine({ store: countingBatches(store, batches) });
  const ir = { workflow_id: WORKFLOW, nodes: { go: hold }, concurrency: { limit: 1 } };
  await svc.engine.registerWorkflow({ ...BY, ir });
  return { svc, batches };
}

/** Notes the number of plans of each transaction. */
function countingBatches(store: Store, batches: number[]): Store {
  const commit: Store['executions']['commit'] = (plans) => {
    batches.push(plans.length);
    return store.executions.commit(plans);
  };
  return { ...store, executions: { ...store.executions, commit } };
}

async function startMany(svc: TestEngine, count: number): Promise<readonly ExecutionId[]> {
  const start = {
    workflowId: WORKFLOW,
    workflowVersion: null,
    input: {},
    priority: 5,
    idempotencyKey: null,
  };
  const starts = Array.from({ length: count }, () => () => start);
  const verdicts = await svc.engine.startMany({ ...BY, starts });
  return verdicts.map((verdict) => {
    if ('error' in verdict) throw verdict.error;
    return verdict.executionId;
  });
}

async function act(svc: TestEngine, action: BulkAction, max = MANY) {
  const { outcomes } = await svc.engine.bulkExecutions({
    ...BY,
    action,
    reason: null,
    cursor: null,
    max,
    filter: {
      workflowId: WORKFLOW,
      status: null,
      parentExecutionId: null,
      createdAfter: null,
      createdBefore: null,
      conditions: [],
    },
  });
  return outcomes;
}
