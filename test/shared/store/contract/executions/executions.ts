import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import type { NewExecution } from '../../../../../src/shared/store/commit.ts';
import type { ListExecutions, ListUpdated } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, start, type Started } from '../drive.ts';
import {
  makeCompleted,
  makeEvent,
  makeExecutionId,
  makePlan,
  makeStarted,
  makeTenantId,
} from '../make.ts';

export function executionCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('an unknown execution is nothing', async (t, { store }) => {
    const executionId = makeExecutionId();
    t.is(await store.executions.find(executionId, null), null);
    t.is(await store.executions.load(executionId, null), null);
    t.deepEqual(await store.executions.events({ executionId, after: 0, limit: null }), []);
  });

  check("another tenant's execution is like an unknown one", async (t, { store }) => {
    const { executionId, tenantId } = await start(store);
    const other = makeTenantId();
    t.is(await store.executions.find(executionId, other), null);
    t.is(await store.executions.load(executionId, other), null);
    t.not(await store.executions.find(executionId, tenantId), null);
    t.not(await store.executions.load(executionId, tenantId), null);
  });

  check('loading without a snapshot gives all events', async (t, { store }) => {
    const execution = await start(store);
    await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
    const loaded = await store.executions.load(execution.executionId, execution.tenantId);
    t.deepEqual(
      loaded?.row,
      (await store.executions.find(execution.executionId, null)) ?? undefined,
    );
    t.is(loaded?.snapshot, null);
    t.deepEqual(
      loaded?.events.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
  });

  check('loading gives the last snapshot and the events after it', async (t, { store }) => {
    const execution = await start(store);
    const body = JSON.stringify({ data: { text: 'ünï ✓' }, list: [1, 2] });
    await commitOne(store, makePlan(execution, { events: [makeEvent()], snapshot: 'older' }));
    await commitOne(store, makePlan(execution, { events: [makeEvent()], snapshot: body }));
    await commitOne(store, makePlan(execution, { events: [makeCompleted(1), makeEvent()] }));
    const loaded = await store.executions.load(execution.executionId, null);
    t.deepEqual(loaded?.snapshot, { sequence: 3, body });
    t.deepEqual(
      loaded?.events.map(({ sequence }) => sequence),
      [4, 5],
    );
  });

  check('executions that are loaded at once are each whole', async (t, { store }) => {
    const plain = await start(store);
    await commitOne(store, makePlan(plain, { events: [makeEvent(), makeEvent()] }));
    const long = await start(store);
    await commitOne(store, makePlan(long, { events: [makeEvent()], snapshot: 'state' }));
    await commitOne(store, makePlan(long, { events: [makeEvent()] }));
    const ids = [plain, long, { executionId: makeExecutionId() }, plain].map(
      ({ executionId }) => executionId,
    );
    const loaded = await Promise.all(ids.map((id) => store.executions.load(id, null)));
    t.deepEqual(
      loaded.map((one) => [
        one?.row.executionId ?? null,
        one?.snapshot?.sequence ?? null,
        one?.events.map(({ sequence }) => sequence) ?? null,
      ]),
      [
        [plain.executionId, null, [1, 2, 3]],
        [long.executionId, 2, [3]],
        [null, null, null],
        [plain.executionId, null, [1, 2, 3]],
      ],
    );
    t.deepEqual(loaded[0], loaded[3]);
  });

  check(
    'executions have ended when they are completed, failed or cancelled',
    async (t, { store }) => {
      const ids = [makeExecutionId()];
      for (const status of ['running', 'paused', 'completed', 'failed', 'cancelled'] as const) {
        const execution = await start(store);
        await commitOne(store, makePlan(execution, { events: [makeEvent()], status }));
        ids.push(execution.executionId);
      }
      const ended = await Promise.all([...ids, ...ids].map((id) => store.executions.hasEnded(id)));
      t.deepEqual(ended.slice(0, 6), [false, false, false, true, true, true]);
      t.deepEqual(ended.slice(6), ended.slice(0, 6));
    },
  );

  check('loading while others commit is never torn', async (t, { store }) => {
    const execution = await start(store);
    const commits = async () => {
      for (let step = 0; step < 30; step += 1) {
        const snapshot = step % 4 === 0 ? `snapshot-${step}` : null;
        await commitOne(store, makePlan(execution, { events: [makeEvent()], snapshot }));
      }
    };
    const loads = async () => {
      for (let round = 0; round < 30; round += 1) {
        const loaded = await store.executions.load(execution.executionId, null);
        const from = loaded?.snapshot?.sequence ?? 0;
        const expected = (loaded?.row.lastSequence ?? 0) - from;
        t.deepEqual(
          loaded?.events.map(({ sequence }) => sequence),
          Array.from({ length: expected }, (_, index) => from + index + 1),
        );
      }
    };
    await Promise.all([commits(), loads(), loads()]);
  });

  check('events are read in pages', async (t, { store }) => {
    const execution = await start(store);
    await commitOne(store, makePlan(execution, { events: [1, 2, 3, 4].map(() => makeEvent()) }));
    const { executionId } = execution;
    const sequences = async (after: number, limit: number | null) =>
      (await store.executions.events({ executionId, after, limit })).map((event) => event.sequence);
    t.deepEqual(await sequences(0, 2), [1, 2]);
    t.deepEqual(await sequences(2, 2), [3, 4]);
    t.deepEqual(await sequences(4, 2), [5]);
    t.deepEqual(await sequences(5, 2), []);
    t.deepEqual(await sequences(3, null), [4, 5]);
    t.deepEqual(await sequences(0, 0), []);
  });

  check('executions are listed newest first, for one tenant', async (t, { store }) => {
    const tenantId = makeTenantId();
    const started = await startInOrder(store, { tenantId, count: 4 });
    await start(store);
    const rows = await store.executions.list(filter(tenantId));
    t.deepEqual(
      rows.map(({ executionId }) => executionId),
      started.toReversed().map(({ executionId }) => executionId),
    );
    const beside = { labels: {}, waitingFor: null, errorClass: null, errorNodeId: null };
    t.deepEqual(rows[0], { ...(await find(store, started[3])), ...beside });
  });

  check('a list is filtered by status and by workflow', async (t, { store }) => {
    const tenantId = makeTenantId();
    const running = await start(store, { tenantId, create: { workflowId: 'a' } });
    const paused = await start(store, {
      tenantId,
      create: { workflowId: 'a' },
      changes: { status: 'paused' },
    });
    const other = await start(store, { tenantId, create: { workflowId: 'b' } });
    const ids = async (changes: Partial<ListExecutions>) =>
      (await store.executions.list(filter(tenantId, changes)))
        .map(({ executionId }) => executionId)
        .toSorted();
    const expect = (...list: readonly Started[]) =>
      list.map(({ executionId }) => executionId).toSorted();
    t.deepEqual(await ids({ status: 'running' }), expect(running, other));
    t.deepEqual(await ids({ status: 'completed' }), []);
    t.deepEqual(await ids({ workflowId: 'a' }), expect(running, paused));
    t.deepEqual(await ids({ workflowId: 'a', status: 'paused' }), expect(paused));
  });

  check('a list is bounded by time, the start included and the end not', async (t, database) => {
    const { store } = database;
    const tenantId = makeTenantId();
    const first = await start(store, { tenantId });
    await database.age({ table: 'executions', columns: ['created_at'], byMs: 60_000 });
    const second = await start(store, { tenantId });
    const at = (await find(store, first))?.createdAt ?? '';
    const later = (await find(store, second))?.createdAt ?? '';
    const ids = async (changes: Partial<ListExecutions>) =>
      (await store.executions.list(filter(tenantId, changes))).map((row) => row.executionId);
    t.deepEqual(await ids({ createdAfter: at }), [second.executionId, first.executionId]);
    t.deepEqual(await ids({ createdAfter: plusMs(at, 1) }), [second.executionId]);
    t.deepEqual(await ids({ createdBefore: later }), [first.executionId]);
    t.deepEqual(await ids({ createdBefore: at }), []);
    t.deepEqual(await ids({ createdAfter: at, createdBefore: later }), [first.executionId]);
  });

  check('pages by cursor and by offset cover a list without a gap', async (t, database) => {
    const { store } = database;
    const tenantId = makeTenantId();
    // Many of these share a millisecond, where the id determines the order.
    await Promise.all(Array.from({ length: 23 }, () => start(store, { tenantId })));
    const all = await store.executions.list(filter(tenantId, { limit: 100 }));
    t.is(all.length, 23);
    const byCursor = [];
    let cursor: ListExecutions['cursor'] = null;
    for (;;) {
      const page = await store.executions.list(filter(tenantId, { limit: 5, cursor }));
      byCursor.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      cursor = { createdAt: last.createdAt, executionId: last.executionId };
    }
    t.deepEqual(byCursor, [...all]);
    const byOffset = [];
    for (let offset = 0; offset < 25; offset += 5) {
      byOffset.push(...(await store.executions.list(filter(tenantId, { limit: 5, offset }))));
    }
    t.deepEqual(byOffset, [...all]);
  });

  check('filters and a cursor go together', async (t, { store }) => {
    const tenantId = makeTenantId();
    const started = await startInOrder(store, { tenantId, count: 6 });
    const third = await find(store, started[3]);
    if (third === null) throw new Error('the execution does not exist');
    const rows = await store.executions.list(
      filter(tenantId, {
        status: 'running',
        workflowId: 'greet',
        createdAfter: '2000-01-01T00:00:00.000Z',
        createdBefore: '2100-01-01T00:00:00.000Z',
        cursor: { createdAt: third.createdAt, executionId: third.executionId },
        limit: 2,
        offset: 1,
      }),
    );
    t.deepEqual(
      rows.map(({ executionId }) => executionId),
      [started[1], started[0]].map((each) => each?.executionId),
    );
  });

  check(
    'those updated last are listed first, in pages that know the whole',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const create = { workflowId: 'agent' };
      const started = await startInOrder(store, { tenantId, count: 4, create });
      await start(store, { tenantId, create: { workflowId: 'another' } });
      await start(store, { create });
      await updateAfter(store, started[0], started[3]);
      const page = async (changes: Partial<ListUpdated>) => {
        const params = { ...updatedFilter(tenantId), ...changes };
        const { rows, total } = await store.executions.listUpdated(params);
        return { ids: rows.map(({ executionId }) => executionId), total, rows };
      };
      const { rows, ids, total } = await page({});
      t.is(total, 4);
      t.is(ids[0], started[0]?.executionId);
      t.deepEqual(
        ids.slice(1),
        started
          .slice(1)
          .toReversed()
          .map(({ executionId }) => executionId),
      );
      const head = await page({ limit: 2 });
      t.deepEqual([head.ids, head.total], [ids.slice(0, 2), 4]);
      const tail = await page({ cursor: rows[1] ?? null });
      t.deepEqual([tail.ids, tail.total], [ids.slice(2), 4]);
      const over = await page({ cursor: rows[3] ?? null });
      t.deepEqual([over.ids, over.total], [[], 4]);
      const near = await page({ within: 2 });
      t.deepEqual([near.ids, near.total], [ids.slice(1, 3), 2]);
      const late = await page({ updatedAfter: rows[0]?.updatedAt ?? null });
      t.deepEqual([late.ids, late.total], [[ids[0]], 1]);
      t.is((await page({ status: 'paused' })).total, 0);
      t.is((await page({ status: 'running' })).total, 4);
    },
  );

  check('a context is that of the message, or the own id', async (t, { store }) => {
    const tenantId = makeTenantId();
    const begin = async (message: JsonObject) => {
      const payload = JSON.stringify({ input: { message } });
      const changes = { events: [{ ...makeStarted(), payload }] };
      const create = { workflowId: 'agent' };
      return (await start(store, { tenantId, create, changes })).executionId;
    };
    const named = await begin({ messageId: 'm', contextId: 'talk' });
    const unnamed = await begin({ messageId: 'm' });
    const empty = await begin({ messageId: 'm', contextId: '' });
    const odd = await begin({ messageId: 'm', contextId: { talk: 1 } });
    const of = async (contextId: string) => {
      const params = { ...updatedFilter(tenantId), contextId };
      const { rows } = await store.executions.listUpdated(params);
      return rows.map(({ executionId }) => executionId);
    };
    t.deepEqual(await of('talk'), [named]);
    t.deepEqual(await of(unnamed), [unnamed]);
    t.deepEqual(await of(empty), [empty]);
    t.deepEqual(await of(named), []);
    t.deepEqual(await of(odd), [odd]);
    t.deepEqual(await of('nobody'), []);
  });
}

/** Commits until the clock of the database has advanced. */
async function updateAfter(
  store: TestStore['store'],
  execution: Started | undefined,
  other: Started | undefined,
): Promise<void> {
  if (execution === undefined) throw new Error('no such execution was started');
  const before = await find(store, other);
  for (let tries = 0; tries < 1000; tries += 1) {
    await commitOne(store, makePlan(execution, { events: [makeEvent()] }));
    const { updatedAt = '' } = (await find(store, execution)) ?? {};
    if (updatedAt > (before?.updatedAt ?? '')) return;
  }
  throw new Error('the clock of the database stands still');
}

function updatedFilter(tenantId: ListUpdated['tenantId']): ListUpdated {
  return {
    tenantId,
    workflowId: 'agent',
    status: null,
    contextId: null,
    updatedAfter: null,
    cursor: null,
    limit: 50,
    within: 100,
  };
}

function filter(
  tenantId: ListExecutions['tenantId'],
  changes: Partial<ListExecutions> = {},
): ListExecutions {
  return {
    tenantId,
    status: null,
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 50,
    offset: 0,
    ...changes,
  };
}

async function startInOrder(
  store: TestStore['store'],
  params: Pick<Started, 'tenantId'> & {
    readonly count: number;
    readonly create?: Partial<NewExecution>;
  },
): Promise<readonly Started[]> {
  const { count, ...options } = params;
  const started: Started[] = [];
  while (started.length < count) started.push(await start(store, options));
  return started;
}

function find(store: TestStore['store'], execution: Started | undefined) {
  if (execution === undefined) throw new Error('no such execution was started');
  return store.executions.find(execution.executionId, null);
}

function plusMs(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
