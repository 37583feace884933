import type { ExecutionId } from '../../../../../src/shared/domain/ids.ts';
import type { LineName, WaitedKeys } from '../../../../../src/shared/store/flow.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, start, type Started } from '../drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
} from '../make.ts';

const COMPETITORS = 20;
const LONG_LINE = 5_000;
const PLACE_KEY = '["orders","acme"]';
const ENDED = { status: 'cancelled', events: [makeEvent({ kind: 'WorkflowCancelled' })] } as const;

/** Executions that wait for places of a key. */
export function flowCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('those that wait longest get the places of a key', async (t, { store }) => {
    const waiting = await startWaiting(store, 4, 2);
    t.deepEqual(await admit(store, waiting), idsOf(waiting.slice(0, 2)));
    t.deepEqual(await admit(store, waiting), []);
    const waits = await Promise.all(waiting.map(({ executionId }) => store.flow.find(executionId)));
    t.deepEqual(
      waits.map((wait) => wait?.ahead ?? null),
      [null, null, 0, 1],
    );
    t.like(waits[3], { placeKey: PLACE_KEY, placesMax: 2 });
    t.deepEqual(waits[3]?.holders, idsOf(waiting.slice(0, 2)));
    await end(store, waiting[0]);
    t.deepEqual(await admit(store, waiting), idsOf(waiting.slice(2, 3)));
  });

  check('the last of a long line knows its place', async (t, { store, url }) => {
    const [first] = await startWaiting(store, 1, 1);
    if (first === undefined) throw new Error('one was started');
    const { tenantId } = first;
    await changeTable(url)(copiesOfWait(url, tenantId, LONG_LINE));
    const last = await start(store, {
      tenantId,
      create: { awaitsPlace: { placeKey: PLACE_KEY, placesMax: 1 } },
    });
    const aheadOf = async (bounds?: { readonly aheadMax: number }) =>
      (await store.flow.find(last.executionId, bounds))?.ahead;
    t.deepEqual(
      [await aheadOf({ aheadMax: 100_000 }), await aheadOf(), await aheadOf({ aheadMax: 0 })],
      [1 + LONG_LINE, 1_000, 0],
    );
    await changeTable(url)(`delete from flow_waits where tenant_id = '${tenantId}'`);
  });

  check('a key says whether it has room, and is gone with its last wait', async (t, { store }) => {
    const waiting = await startWaiting(store, 2, 1);
    const rooms = async () => {
      const { keys } = await store.flow.listKeys({
        limit: 1_000,
        lines: 1_000,
        batchBytesMax: 1_000,
      });
      return keys
        .filter(({ tenantId }) => tenantId === waiting[0]?.tenantId)
        .map(({ placeKey, hasRoom }) => [placeKey, hasRoom]);
    };
    t.deepEqual(await rooms(), [[PLACE_KEY, true]]);
    await admit(store, waiting);
    t.deepEqual(await rooms(), [[PLACE_KEY, false]]);
    await end(store, waiting[0]);
    t.deepEqual(await rooms(), [[PLACE_KEY, true]]);
    await admit(store, waiting);
    t.deepEqual(await rooms(), []);
  });

  check(
    'lines are listed in parts, and each part says where the next begins',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const placeKey = `["orders","parts-${count}"]`;
        await start(store, { tenantId, create: { awaitsPlace: { placeKey, placesMax: 1 } } });
        made.push(placeKey);
      }
      const listed: string[] = [];
      let last: LineName | null = null;
      do {
        const part: WaitedKeys = await store.flow.listKeys({
          limit: 1_000,
          lines: 2,
          batchBytesMax: 1_000,
          ...(last !== null && { after: last }),
        });
        t.true(part.keys.length <= 2);
        listed.push(
          ...part.keys.filter((key) => key.tenantId === tenantId).map((key) => key.placeKey),
        );
        last = part.last;
      } while (last !== null);
      t.deepEqual(listed.toSorted(), made);
    },
  );

  check('twenty who admit at once give no place of a key twice', async (t, { store }) => {
    const waiting = await startWaiting(store, COMPETITORS, 7);
    const admitted = await atOnce(COMPETITORS, () => admit(store, waiting));
    const given = admitted.flat();
    t.deepEqual(given.toSorted(), idsOf(waiting.slice(0, 7)).toSorted());
  });

  check('no more than the limit run while places are given and taken', async (t, { store }) => {
    const waiting = await startWaiting(store, 30, 3);
    const order: ExecutionId[] = [];
    for (let round = 0; round < 30; round += 1) {
      const given = (await atOnce(3, () => admit(store, waiting))).flat();
      order.push(...given);
      const running = order.slice(round);
      t.true(running.length <= 3, `${running.length} run`);
      await end(store, waiting[round]);
    }
    t.deepEqual(order.toSorted(), idsOf(waiting).toSorted());
  });

  check('an execution without a place is not runnable, marked or not', async (t, { store }) => {
    const [first, second] = await startWaiting(store, 2, 1);
    if (first === undefined || second === undefined) throw new Error('two were started');
    await commitOne(store, makePlan(second, { events: [makeEvent()], runnable: 'mark' }));
    const runnable = async () => {
      const rows = await store.runnable.list({ shards: [7], limit: 10_000 });
      const ids = idsOf(rows);
      return [first, second].filter(({ executionId }) => ids.includes(executionId));
    };
    t.deepEqual(await runnable(), []);
    await admit(store, [first]);
    t.deepEqual(await runnable(), [first]);
    await end(store, first);
    await admit(store, [first]);
    t.deepEqual(idsOf(await runnable()), [second.executionId]);
  });

  check('a run that continues another has its place', async (t, { store }) => {
    const waiting = await startWaiting(store, 2, 1);
    const [first, second] = waiting;
    if (first === undefined || second === undefined) throw new Error('two were started');
    await admit(store, waiting);
    const run = { executionId: makeExecutionId(), tenantId: first.tenantId };
    const { definitionId, workflowId, workflowVersion, shard, priority } = makeNewExecution();
    await commitOne(
      store,
      makePlan(first, {
        status: 'completed',
        events: [makeEvent({ kind: 'WorkflowCompleted' })],
        startsExecutions: [
          {
            executionId: run.executionId,
            definitionId,
            workflowId,
            workflowVersion,
            shard,
            priority,
            parentExecutionId: null,
            started: makeStarted(),
            used: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
            waitsForPlace: false,
            takesPlaceOf: null,
          },
        ],
      }),
    );
    t.deepEqual(await admit(store, waiting), []);
    await end(store, run);
    t.deepEqual(await admit(store, waiting), [second.executionId]);
  });

  check('the line of each says for whom its end makes room', async (t, { store }) => {
    const [holder, first, second] = await startWaiting(store, 3, 1);
    if (holder === undefined || first === undefined || second === undefined) {
      throw new Error('three were started');
    }
    await admit(store, [holder]);
    const { tenantId } = holder;
    const key = { placeKey: PLACE_KEY, placesMax: 1 };
    const later = { tenantLine: { state: 'later', shard: 0, isNew: true } } as const;
    const counted = await start(store, { tenantId, create: { awaitsPlace: key }, changes: later });
    const newest = { ...key, cancelsOldest: true } as const;
    const displacing = await start(store, { tenantId, create: { awaitsPlace: newest } });
    const lines = await Promise.all(
      [holder, first, second, counted, displacing].map(({ executionId }) =>
        store.flow.findLine(executionId),
      ),
    );
    t.deepEqual(lines, [
      null,
      { roomInKey: true, roomInTenant: true },
      { roomInKey: false, roomInTenant: true },
      { roomInKey: false, roomInTenant: false },
      { roomInKey: true, roomInTenant: true },
    ]);
    t.is(await store.flow.findLine(makeExecutionId()), null);
    await commitOne(store, makePlan(first, { ...ENDED, leavesQueue: true }));
    t.like(await store.flow.findLine(second.executionId), { roomInKey: true });
  });

  check('one that waits for its tenant makes room in its key', async (t, { store }) => {
    const create = { awaitsPlace: { placeKey: PLACE_KEY, placesMax: 1 } };
    const tenantId = makeTenantId();
    const later = { tenantLine: { state: 'later', shard: 0, isNew: true } } as const;
    const placed = await start(store, { tenantId, create, changes: later });
    await admit(store, [placed]);
    const waiting = { tenantLine: { state: 'waiting', shard: 0, isNew: true } } as const;
    const plain = await start(store, { tenantId, changes: waiting });
    t.deepEqual(
      [await store.flow.findLine(placed.executionId), await store.flow.findLine(plain.executionId)],
      [
        { roomInKey: true, roomInTenant: false },
        { roomInKey: false, roomInTenant: false },
      ],
    );
  });

  check(
    'an execution that ends while it waits leaves the queue, and gets no place',
    async (t, { store }) => {
      const waiting = await startWaiting(store, 3, 1);
      const [cancelled, unnoticed, last] = waiting;
      if (cancelled === undefined || unnoticed === undefined) throw new Error('three were started');
      await commitOne(store, makePlan(cancelled, { ...ENDED, leavesQueue: true }));
      t.is(await store.flow.find(cancelled.executionId), null);
      await end(store, unnoticed);
      t.deepEqual(await admit(store, waiting), []);
      t.deepEqual(await admit(store, waiting), [last?.executionId]);
    },
  );
}

async function startWaiting(
  store: Store,
  count: number,
  placesMax: number,
): Promise<readonly Started[]> {
  const tenantId = makeTenantId();
  const started: Started[] = [];
  for (let made = 0; made < count; made += 1) {
    const create = { awaitsPlace: { placeKey: PLACE_KEY, placesMax } };
    started.push(await start(store, { tenantId, create }));
  }
  return started;
}

/** Further waits like the only one of the tenant, of executions that do not exist. */
function copiesOfWait(url: string, tenantId: string, count: number): string {
  const id = url.startsWith('postgres')
    ? 'gen_random_uuid()'
    : "'exec_' || lower(hex(randomblob(16)))";
  return `
    insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since)
    with recursive numbers (number) as (
      select 1
      union all
      select number + 1
      from numbers
      where number < ${count}
    )
    select ${id}, w.tenant_id, w.place_key, w.places_max, w.shard, w.since
    from flow_waits w, numbers
    where w.tenant_id = '${tenantId}'`;
}

async function admit(store: Store, [of]: readonly Started[]): Promise<readonly ExecutionId[]> {
  if (of === undefined) throw new Error('none was started');
  const { tenantId } = of;
  return idsOf(await store.flow.admit({ tenantId, placeKey: PLACE_KEY, limit: 100 }));
}

async function end(store: Store, execution: Started | undefined): Promise<void> {
  if (execution === undefined) throw new Error('no such execution');
  await commitOne(store, makePlan(execution, ENDED));
}

function idsOf(rows: readonly { readonly executionId: ExecutionId }[]): readonly ExecutionId[] {
  return rows.map(({ executionId }) => executionId);
}
