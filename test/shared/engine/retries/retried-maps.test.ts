import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A retry runs only the unfinished items of a map, and repeats no approval that it has. */

const ONCE = { retry_policy: { max_attempts: 1 } };
const BODY = { kind: { type: 'python_fn', module: 'm', function: 'f' }, ...ONCE };
const BY = { tenantId: TENANT, actorId: 'token:ops' };

const mapOf = (body: JsonObject, more: JsonObject = {}) => ({
  nodes: {
    each: {
      kind: { type: 'map', items: '$.items', node: 'body', max_concurrency: 4, ...more },
      output_key: 'all',
    },
    body: { ...body, input_mapping: { item: 'input.item' } },
  },
});
const retry = (svc: TestEngine, executionId: ExecutionId, statePatch: JsonObject | null = null) =>
  svc.engine.retryExecution({ ...BY, executionId, statePatch, revision: 'same' });
const read = (svc: TestEngine, executionId: ExecutionId) =>
  svc.engine.readExecution({ tenantId: TENANT, executionId });

interface Called {
  readonly item: JsonValue;
  readonly key: string;
}

/** Processes the queue: items of `failing` fail, those of `left` stay leased. */
async function work(
  svc: TestEngine,
  of: { readonly failing?: readonly JsonValue[]; readonly left?: readonly JsonValue[] } = {},
): Promise<readonly Called[]> {
  const { failing = [], left = [] } = of;
  const called: Called[] = [];
  for (;;) {
    await svc.settle();
    const [claimed] = await svc.claim();
    if (claimed === undefined) return called;
    const { payload, idempotencyKey } = claimed.record;
    const { item = null } = payload['input'] as JsonObject;
    called.push({ item, key: idempotencyKey });
    if (left.includes(item)) continue;
    if (failing.includes(item)) await svc.fail(claimed);
    else await svc.complete(claimed, { output: { of: item } });
    await svc.settle();
  }
}

const itemsOf = (called: readonly Called[]) => called.map(({ item }) => item);
const keyOf = (called: readonly Called[], item: JsonValue) =>
  called.find((one) => one.item === item)?.key;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return openTestEngine({ store });
  };

  test(`${dialect}: items that were done are not run again, and the others keep their keys`, async (t) => {
    const svc = await open(t);
    const items = [0, 1, 2, 3, 4, 5, 6, 7];
    const first = await svc.start(mapOf(BODY), { items });
    const before = await work(svc, { failing: [4], left: [1, 3] });
    t.deepEqual(itemsOf(before), [0, 1, 2, 3, 4]);
    t.is((await read(svc, first)).row.status, 'failed');

    const { executionId } = await retry(svc, first);
    await svc.settle();
    const after = await work(svc);
    t.deepEqual(itemsOf(after), [1, 3, 4, 5, 6, 7]);
    for (const item of [1, 3, 4]) t.is(keyOf(after, item), keyOf(before, item), `${item}`);
    const keys = [...before, ...after].map(({ key }) => key);
    t.is(new Set(keys).size, items.length);
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.deepEqual(
      state.data['all'],
      items.map((item) => ({ of: item })),
    );
    t.is(state.stepsExecuted, 7);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: the failed items of a map that collects failures run again`, async (t) => {
    const svc = await open(t);
    const map = mapOf(BODY, { on_item_failure: 'collect' });
    const ir = {
      nodes: {
        ...map.nodes,
        split: { kind: { type: 'parallel', branches: ['each', 'b'] } },
        b: BODY,
      },
      start_node: 'split',
    };
    const first = await svc.start(ir, { items: ['x', 'y', 'z'] });
    for (const wanted of ['each', 'each', 'each']) {
      const claimed = await claimOf(svc, wanted);
      const item = (claimed.record.payload['input'] as JsonObject)['item'];
      if (item === 'y') await svc.fail(claimed);
      else if (item === 'x') await svc.complete(claimed, { output: { of: 'x' } });
      await svc.settle();
    }
    await svc.fail(await claimOf(svc, 'b'));
    await svc.settle();
    t.is((await read(svc, first)).row.status, 'failed');
    const { executionId } = await retry(svc, first);
    await svc.settle();
    const after = await work(svc);
    t.deepEqual(itemsOf(after).map(String).toSorted(), ['null', 'y', 'z']);
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.deepEqual(state.data['all'], [{ of: 'x' }, { of: 'y' }, { of: 'z' }]);
  });

  test(`${dialect}: an item that is another by now runs, though one of its place was done`, async (t) => {
    const svc = await open(t);
    const first = await svc.start(mapOf(BODY, { max_concurrency: 1 }), { items: ['a', 'b', 'c'] });
    await work(svc, { failing: ['c'] });
    const { executionId } = await retry(svc, first, { items: ['a', 'B', 'c', 'd'] });
    await svc.settle();
    t.deepEqual(itemsOf(await work(svc)), ['B', 'c', 'd']);
    const { state } = await read(svc, executionId);
    t.deepEqual(
      state.data['all'],
      ['a', 'B', 'c', 'd'].map((item) => ({ of: item })),
    );
  });

  test(`${dialect}: a retry that fails hands on what both have done`, async (t) => {
    const svc = await open(t);
    const items = ['a', 'b', 'c', 'd'];
    const first = await svc.start(mapOf(BODY, { max_concurrency: 1 }), { items });
    const one = await work(svc, { failing: ['b'] });
    const second = await retry(svc, first);
    await svc.settle();
    const two = await work(svc, { failing: ['c'] });
    const third = await retry(svc, second.executionId);
    await svc.settle();
    const three = await work(svc);
    t.deepEqual([one, two, three].map(itemsOf), [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ]);
    t.is(keyOf(two, 'b'), keyOf(one, 'b'));
    t.is(keyOf(three, 'c'), keyOf(two, 'c'));
    t.is((await read(svc, third.executionId)).row.status, 'completed');
  });

  test(`${dialect}: children that completed are not started again`, async (t) => {
    const svc = await open(t);
    await svc.engine.registerWorkflow({
      ...BY,
      ir: {
        workflow_id: 'child',
        nodes: { step: { ...BODY, input_mapping: { item: '$.item' } } },
      },
    });
    const kind = { type: 'map', items: '$.items', workflow_ref: 'child', max_concurrency: 1 };
    const ir = { nodes: { each: { kind, output_key: 'all' } } };
    const first = await svc.start(ir, { items: ['a', 'b', 'c'] });
    t.deepEqual(itemsOf(await work(svc, { failing: ['b'] })), ['a', 'b']);
    t.is((await read(svc, first)).row.status, 'failed');
    const { executionId } = await retry(svc, first);
    await svc.settle();
    t.deepEqual(itemsOf(await work(svc)), ['b', 'c']);
    const { row, state } = await read(svc, executionId);
    t.is(row.status, 'completed');
    t.is((state.data['all'] as readonly JsonObject[]).length, 3);
  });

  test(`${dialect}: a call that was approved is not asked about again while it is the same`, async (t) => {
    const svc = await open(t);
    const ir = { ...mapOf(BODY), policy: { require_approval_for: ['m.f'] } };
    const first = await svc.start(ir, { items: ['a', 'b'] });
    await approveAll(svc, first);
    await work(svc, { failing: ['b'] });
    t.is((await read(svc, first)).row.status, 'failed');
    const second = await retry(svc, first);
    await svc.settle();
    t.deepEqual((await svc.engine.listApprovals({ ...BY, ...second })).pending, []);
    t.deepEqual(itemsOf(await work(svc, { failing: ['b'] })), ['b']);
    const third = await retry(svc, second.executionId, { items: ['a', 'B'] });
    await svc.settle();
    t.deepEqual(await work(svc), []);
    const { pending } = await svc.engine.listApprovals({ ...BY, ...third });
    t.deepEqual(
      pending.map(({ shown }) => shown),
      [{ tool: 'm.f', input: { item: 'B' } }],
    );
  });
}

async function claimOf(svc: TestEngine, nodeId: string) {
  const wanted = nodeId === 'each' ? 'body' : nodeId;
  const skipped: string[] = [];
  for (;;) {
    const [claimed] = await svc.claim();
    if (claimed === undefined) throw new Error(`no item of ${wanted} after ${skipped.join(', ')}`);
    if (claimed.record.nodeId === wanted) return claimed;
    skipped.push(claimed.record.nodeId);
  }
}

async function approveAll(svc: TestEngine, executionId: ExecutionId): Promise<void> {
  await svc.settle();
  const { pending } = await svc.engine.listApprovals({ ...BY, executionId });
  for (const { nodeId, shownHash } of pending) {
    await svc.engine.decideApproval({
      ...BY,
      executionId,
      nodeId,
      shownHash,
      decision: 'approved',
      userId: null,
      comment: null,
      statePatch: null,
    });
    await svc.settle();
  }
}
