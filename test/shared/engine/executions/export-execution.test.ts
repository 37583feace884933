import test from 'ava';

import { hashJson } from '../../../../src/shared/domain/canonical-json.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ExecutionStore } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

const EVENTS_AT_A_TIME = 500;
/** About 1 200 events. */
const COUNTS = {
  nodes: { count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
  start_node: 'count',
  edges: [{ from: 'count', to: 'count', condition: 'state.n < 600' }],
};

async function exportPieces(svc: TestEngine, executionId: ExecutionId): Promise<readonly string[]> {
  const pieces: string[] = [];
  const exported = await svc.engine.exportExecution({ tenantId: TENANT, executionId });
  for await (const piece of exported) pieces.push(piece);
  return pieces;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a long history is exported piece by piece, as the document of the whole`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const pages: number[] = [];
    const events: ExecutionStore['events'] = async (range) => {
      const page = await store.executions.events(range);
      pages.push(page.length);
      return page;
    };
    const svc = openTestEngine({
      store: { ...store, executions: { ...store.executions, events } },
    });
    const executionId = await svc.start(COUNTS, { n: 0 });
    await svc.settle();
    pages.length = 0;
    const pieces = await exportPieces(svc, executionId);
    t.true(pages.every((length) => length <= EVENTS_AT_A_TIME));
    t.true(pages.length > 2);
    const { sha256, ...rest } = JSON.parse(pieces.join('')) as JsonObject;
    t.is(sha256, hashJson(rest));
    const whole = await store.executions.document(executionId, TENANT);
    const { definition, ...expected } = { ...whole };
    t.true((whole?.events.length ?? 0) > 2 * EVENTS_AT_A_TIME);
    t.like(rest, { ...expected, artifacts: [], redacted: false });
    t.like(rest['definition'], { ...definition });
  });

  test(`${dialect}: an execution that goes away meanwhile cuts the export off`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    let isGone = false;
    const svc = openTestEngine({
      store: {
        ...store,
        executions: {
          ...store.executions,
          events: async (range) => (isGone ? [] : store.executions.events(range)),
        },
      },
    });
    const executionId = await svc.start(COUNTS, { n: 0 });
    await svc.settle();
    const exported = await svc.engine.exportExecution({ tenantId: TENANT, executionId });
    isGone = true;
    await t.throwsAsync(
      async () => {
        for await (const piece of exported) t.false(piece.includes('sha256'));
      },
      { message: /is not whole/ },
    );
  });
}
