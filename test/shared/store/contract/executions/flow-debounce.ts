import type { ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import {
  debounceLineOf,
  placeKeyOf,
} from '../../../../../src/shared/domain/workflow/flow/flow-key.ts';
import type { AwaitedPlace } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, start, type Started } from '../drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../make.ts';

const COMPETITORS = 20;
const HOUR_MS = 3_600_000;
const LOOK = { limit: 1_000, lines: 1_000, batchBytesMax: 1_000 };
/** Behind every other in the order of lines. */
const LAST_TENANT = '~' as Started['tenantId'];

/** Starts that wait whether another of their key comes. */
export function flowDebounceCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('the newest of a debounced line begins alone, and once', async (t, { store }) => {
    const line = await startDebounced(store, { waitMs: 0, count: 1 });
    const ended = await atOnce(COMPETITORS, () => line.endDebounce());
    t.deepEqual(
      ended.flatMap(({ begun }) => begun.map(({ executionId }) => executionId)),
      line.ids,
    );
    t.is(await store.flow.find(line.newest), null);
    const marked = await store.runnable.list({ shards: [7], limit: 10_000 });
    t.true(marked.some(({ executionId }) => executionId === line.newest));
  });

  check('nobody begins before the time of the newest', async (t, { store }) => {
    const line = await startDebounced(store, { waitMs: HOUR_MS, count: 1 });
    t.deepEqual(await line.endDebounce(), { begun: [], hasMoved: false });
    const wait = await store.flow.find(line.newest);
    t.truthy(wait?.dueAt);
    const key = await line.listed();
    t.like(key, { isDebounced: true, hasRoom: true, hasSurplus: false });
    t.true((key?.nextTokenMs ?? 0) > HOUR_MS - 60_000);
  });

  check('the newest begins only once those that it displaces have ended', async (t, { store }) => {
    const line = await startDebounced(store, { waitMs: 0, count: 3 });
    t.true((await line.listed())?.hasSurplus);
    t.deepEqual(await line.endDebounce(), { begun: [], hasMoved: false });
    const { tenantId, placeKey } = line;
    const surplus = await store.flow.listSurplus({ tenantId, placeKey, limit: 10 });
    t.deepEqual(
      surplus.map(({ executionId, for: newer }) => [executionId, newer]),
      line.ids.slice(0, 2).map((id) => [id, line.newest]),
    );
    await line.cancel(0);
    t.deepEqual((await line.endDebounce()).begun, []);
    await line.cancel(1);
    t.deepEqual(
      (await line.endDebounce()).begun.map(({ executionId }) => executionId),
      [line.newest],
    );
  });

  check('a due start is listed wherever the look begins', async (t, { store }) => {
    const line = await startDebounced(store, { waitMs: 0, count: 1 });
    const waiting = await startDebounced(store, { waitMs: HOUR_MS, count: 1 });
    const after = { tenantId: LAST_TENANT, placeKey: '' };
    const { keys, last } = await store.flow.listKeys({ ...LOOK, after });
    const names = keys.map(({ placeKey, tenantId }) => `${tenantId} ${placeKey}`);
    t.true(names.includes(`${line.tenantId} ${line.placeKey}`));
    t.false(names.includes(`${waiting.tenantId} ${waiting.placeKey}`));
    t.is(new Set(names).size, names.length);
    t.is(last, null);
    const all = (await store.flow.listKeys(LOOK)).keys;
    const own = all.filter(({ tenantId }) => tenantId === line.tenantId);
    t.is(own.length, 1);
  });

  check('afterwards it waits in its next line, as the last', async (t, { store }) => {
    const tenantId = makeTenantId();
    const placeKey = placeKeyOf('orders', 'acme');
    const next = { placeKey, placesMax: 1 };
    const line = await startDebounced(store, { waitMs: 0, count: 1, next, tenantId });
    const first = await start(store, { tenantId, create: { awaitsPlace: next } });
    t.deepEqual(await line.endDebounce(), { begun: [], hasMoved: true });
    t.like(await store.flow.find(line.newest), { placeKey, placesMax: 1, ahead: 1, dueAt: null });
    t.is(await line.listed(), undefined);
    const admitted = await store.flow.admit({ tenantId, placeKey, limit: 10 });
    t.deepEqual(
      admitted.map(({ executionId }) => executionId),
      [first.executionId],
    );
  });
}

async function startDebounced(
  store: Store,
  of: {
    readonly waitMs: number;
    readonly count: number;
    readonly next?: AwaitedPlace;
    readonly tenantId?: Started['tenantId'];
  },
) {
  const { waitMs, next = null, tenantId = makeTenantId() } = of;
  const placeKey = debounceLineOf('orders', 'acme');
  const debounce = { waitMs, maxWaitMs: null, next };
  const awaitsPlace = { placeKey, placesMax: 1, cancelsOldest: true, debounce } as const;
  const started: Started[] = [];
  for (let made = 0; made < of.count; made += 1) {
    started.push(await start(store, { tenantId, create: { awaitsPlace } }));
  }
  const ids: readonly ExecutionId[] = started.map(({ executionId }) => executionId);
  const newest = ids.at(-1);
  if (newest === undefined) throw new Error('none was started');
  return {
    tenantId,
    placeKey,
    ids,
    newest,
    endDebounce: () => store.flow.endDebounce({ tenantId, placeKey }),
    async listed() {
      const { keys } = await store.flow.listKeys({
        limit: 1_000,
        lines: 1_000,
        batchBytesMax: 1_000,
      });
      return keys.find((key) => key.tenantId === tenantId && key.placeKey === placeKey);
    },
    async cancel(index: number) {
      const execution = started[index];
      if (execution === undefined) throw new Error('no such execution');
      const events = [makeEvent({ kind: 'WorkflowCancelled' })];
      const plan = makePlan(execution, { status: 'cancelled', events, leavesQueue: true });
      await commitOne(store, plan);
    },
  };
}
