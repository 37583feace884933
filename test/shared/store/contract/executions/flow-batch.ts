import type { ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import {
  batchLineOf,
  placeKeyOf,
} from '../../../../../src/shared/domain/workflow/flow/flow-key.ts';
import type { CommitPlan } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, start, type Started } from '../drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../make.ts';

const COMPETITORS = 20;
const HOUR_MS = 3_600_000;
const BYTES_MAX = 1_000;

/** Starts that gather in batches. */
export function flowBatchCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a batch is due once its first has waited long enough', async (t, { store }) => {
    const early = await startBatched(store, { waitMs: HOUR_MS, count: 2 });
    t.deepEqual(await early.find(), []);
    const listed = await early.listed();
    t.like(listed, { isBatched: true, isDebounced: false, hasRoom: true, hasSurplus: false });
    t.true((listed?.nextTokenMs ?? 0) > HOUR_MS - 60_000);
    const due = await startBatched(store, { waitMs: 0, count: 2 });
    await due.add({ waitMs: HOUR_MS });
    t.is((await due.listed())?.nextTokenMs, 0);
    t.deepEqual(await due.find(), due.ids());
  });

  check('a batch is due with as many as it takes, in their order', async (t, { store }) => {
    const line = await startBatched(store, { waitMs: HOUR_MS, count: 2, max: 3 });
    t.deepEqual(await line.find(), []);
    await line.add({ waitMs: HOUR_MS });
    await line.add({ waitMs: HOUR_MS });
    t.is((await line.listed())?.nextTokenMs, 0);
    t.deepEqual(await line.find(), line.ids().slice(0, 3));
  });

  check('a batch is due when the next input does not fit', async (t, { store }) => {
    const line = await startBatched(store, { waitMs: HOUR_MS, count: 1, bytes: 600 });
    await line.add({ waitMs: HOUR_MS, bytes: 400 });
    t.deepEqual(await line.find(), []);
    await line.add({ waitMs: HOUR_MS, bytes: 1 });
    t.is((await line.listed())?.nextTokenMs, 0);
    t.deepEqual(await line.find(), line.ids().slice(0, 2));
    // One that fits in no batch is one alone.
    const large = await startBatched(store, { waitMs: HOUR_MS, count: 1, bytes: BYTES_MAX + 1 });
    t.deepEqual(await large.find(), []);
    await large.add({ waitMs: HOUR_MS, bytes: 1 });
    t.deepEqual(await large.find(), large.ids().slice(0, 1));
  });

  check('one that has ended is in no batch', async (t, { store }) => {
    const line = await startBatched(store, { waitMs: 0, count: 3 });
    await line.cancel(0, { leavesQueue: false });
    t.deepEqual(await line.find(), line.ids().slice(1));
    t.is(await store.flow.find(line.id(0)), null);
    await line.cancel(2);
    t.deepEqual(await line.find(), [line.id(1)]);
  });

  check('one that waits says how many do, and until when', async (t, { store }) => {
    const line = await startBatched(store, { waitMs: HOUR_MS, count: 1 });
    await line.add({ waitMs: 2 * HOUR_MS });
    const [first, second] = await Promise.all([0, 1].map((at) => store.flow.find(line.id(at))));
    t.like(first, { placesMax: 10, ahead: 0, batch: { size: 2 } });
    t.like(second, { placesMax: 10, ahead: 1, batch: { size: 2 }, dueAt: first?.dueAt });
  });

  check('a batch is closed as a whole, and once', async (t, { store }) => {
    const line = await startBatched(store, { waitMs: 0, count: 3 });
    const outcomes = await atOnce(COMPETITORS, () => store.executions.commit(line.closing()));
    const closed = outcomes.filter((verdicts) => verdicts.every(({ accepted }) => accepted));
    t.is(closed.length, 1);
    t.is(outcomes.flat().filter(({ accepted }) => accepted).length, 3);
    t.deepEqual(await line.find(), []);
    const marked = await store.runnable.list({ shards: [7], limit: 10_000 });
    t.true(marked.some(({ executionId }) => executionId === line.id(0)));
  });

  check('nothing of a batch is written when one of it has moved', async (t, database) => {
    const { store } = database;
    const line = await startBatched(store, { waitMs: 0, count: 3 });
    const closing = line.closing();
    await line.cancel(1);
    const before = await database.contents();
    const verdicts = await store.executions.commit(closing);
    t.deepEqual(
      verdicts.map((verdict) => (verdict.accepted ? 'accepted' : verdict.reason)),
      ['moved', 'ended', 'moved'],
    );
    t.deepEqual(await database.contents(), before);
  });

  check('afterwards the first waits in its next line, as the last', async (t, { store }) => {
    const placeKey = placeKeyOf('orders', 'acme');
    const next = { placeKey, placesMax: 1 };
    const line = await startBatched(store, { waitMs: 0, count: 1 });
    const { tenantId } = line;
    const earlier = await start(store, { tenantId, create: { awaitsPlace: next } });
    const changes = {
      leavesQueue: false,
      runnable: 'keep',
      entersQueue: { ...next, shard: 7 },
    } as const;
    const [verdict] = await store.executions.commit(line.closing(changes));
    t.true(verdict?.accepted);
    t.like(await store.flow.find(line.id(0)), { ...next, ahead: 1, dueAt: null, batch: null });
    t.is(await line.listed(), undefined);
    const admitted = await store.flow.admit({ tenantId, placeKey, limit: 10 });
    t.deepEqual(
      admitted.map(({ executionId }) => executionId),
      [earlier.executionId],
    );
  });
}

interface Rule {
  readonly waitMs: number;
  readonly max?: number;
  readonly bytes?: number;
}

async function startBatched(store: Store, of: Rule & { readonly count: number }) {
  const tenantId = makeTenantId();
  const placeKey = batchLineOf('orders', 'acme');
  const started: Started[] = [];
  const add = async ({ waitMs, max = 10, bytes = 10 }: Rule) => {
    const awaitsPlace = { placeKey, placesMax: max, batch: { waitMs, bytes } };
    started.push(await start(store, { tenantId, create: { awaitsPlace } }));
  };
  for (let made = 0; made < of.count; made += 1) await add(of);
  const at = (index: number): Started => {
    const execution = started[index];
    if (execution === undefined) throw new Error('no such execution');
    return execution;
  };
  return {
    tenantId,
    add,
    ids: (): readonly ExecutionId[] => started.map(({ executionId }) => executionId),
    id: (index: number) => at(index).executionId,
    find: () => store.flow.findBatch({ tenantId, placeKey, bytesMax: BYTES_MAX }),
    async listed() {
      const of = { limit: 1_000, lines: 1_000, batchBytesMax: BYTES_MAX };
      const { keys } = await store.flow.listKeys(of);
      return keys.find((key) => key.tenantId === tenantId && key.placeKey === placeKey);
    },
    /** The plans that close a batch of all of them; `changes` are those of the first. */
    closing: (changes: Partial<CommitPlan> = {}): readonly CommitPlan[] =>
      started.map((execution, index) =>
        makePlan(execution, {
          expectedSequence: 1,
          isTogether: true,
          leavesQueue: true,
          ...(index === 0
            ? { events: [makeEvent({ kind: 'BatchClosed' })], runnable: 'mark', ...changes }
            : {
                events: [makeEvent({ kind: 'WorkflowCancelled' })],
                status: 'cancelled',
                revokesAll: true,
              }),
        }),
      ),
    async cancel(index: number, changes: Partial<CommitPlan> = {}) {
      const events = [makeEvent({ kind: 'WorkflowCancelled' })];
      const plan = { status: 'cancelled', events, leavesQueue: true, ...changes } as const;
      await commitOne(store, makePlan(at(index), plan));
    },
  };
}
