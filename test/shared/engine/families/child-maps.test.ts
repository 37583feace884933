import test from 'ava';

import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import { CALLER, openScene } from './child-scene.ts';

const DOUBLE = { nodes: { a: { kind: { type: 'pass', output: { x: { expr: 'state.x * 2' } } } } } };
const WAITING = { nodes: { w: { kind: { type: 'wait', condition: 'external_event' } } } };

function mapOf(fields: JsonObject, node: JsonObject = {}): JsonObject {
  return {
    nodes: {
      m: {
        kind: { type: 'map', items: 'state.items', workflow_ref: 'child', ...fields },
        input_mapping: { x: 'input.item' },
        output_key: 'out',
        ...node,
      },
    },
  };
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a map runs a workflow for each item, so many at a time`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', WAITING);
    const fields = { max_concurrency: 3, output_mapping: { got: '$output.x', key: 'input.item' } };
    const id = await svc.start(mapOf(fields), { items: [1, 2, 3, 4, 5, 6, 7] });
    const seen = new Set<string>();
    for (let live = 3; seen.size < 7; live = Math.min(3, 7 - seen.size)) {
      await svc.settle();
      const waiting = (await svc.children(id)).filter(({ status }) => status === 'paused');
      t.is(waiting.length, live);
      for (const { executionId } of waiting) {
        seen.add(executionId);
        await svc.send(executionId, 'w', {});
      }
    }
    await svc.settle();
    const { status, data } = await svc.read(id);
    t.is(status, 'completed');
    t.deepEqual(
      data['out'],
      [1, 2, 3, 4, 5, 6, 7].map((x) => ({ got: x, key: x })),
    );
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: an item that fails ends the map, and the children of the others`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', WAITING);
    const id = await svc.start(mapOf({}), { items: [1, 2, 3] });
    await svc.settle();
    const [first, ...others] = await svc.children(id);
    if (first === undefined) throw new Error('no child was started');
    await svc.cancel(first.executionId);
    await svc.settle();
    t.is((await svc.read(id)).status, 'failed');
    t.regex(
      (await svc.read(id)).row.error ?? '',
      /item \d failed: child execution .* was cancelled/,
    );
    for (const { executionId } of others) t.is((await svc.read(executionId)).status, 'cancelled');
    t.deepEqual(await svc.store.timers.listDue({ limit: 10 }), []);
  });

  test(`${dialect}: failures may be collected, and the parent's row stays narrow`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('child', DOUBLE);
    const fields = { on_item_failure: 'collect', output_mapping: '$output.x' };
    const id = await svc.start(mapOf(fields), { items: [1, null, 3] });
    await svc.settle();
    const { data, row } = await svc.read(id);
    const [one, two, three] = data['out'] as JsonValue[];
    t.deepEqual([one, three], [2, 6]);
    t.regex(JSON.stringify(two), /^\{"error":"child execution exec_\w+ failed: node a failed: /);
    t.is(row.status, 'completed');
    const rows = await svc.store.executions.find(id, null);
    t.true(JSON.stringify(rows).length < 600);
  });

  test(`${dialect}: the snapshots of a large map stay within the length of its history`, async (t) => {
    let written = 0;
    const svc = await openScene(t, dialect, {
      onCommit: (plans) => {
        for (const { snapshot } of plans) written += snapshot?.length ?? 0;
      },
    });
    await svc.register('child', DOUBLE);
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const id = await svc.start(mapOf({ max_concurrency: 50, output_mapping: '$output.x' }), {
      items,
    });
    await svc.settle();
    const { status, data } = await svc.read(id);
    t.is(status, 'completed');
    t.deepEqual(
      data['out'],
      items.map((x) => x * 2),
    );
    const { events } = await svc.engine.readEvents({
      ...CALLER,
      executionId: id,
      after: 0,
      limit: null,
    });
    const history = events.reduce((sum, { payload }) => sum + JSON.stringify(payload).length, 0);
    t.true(written < 2 * history, `${written} written for ${history}`);
    t.deepEqual(svc.troubles, []);
  });
}
