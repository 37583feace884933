import type { ExecutionId, TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, start, type Started } from '../drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
} from '../make.ts';

const PLACE_KEY = '["orders","acme"]';
const ENDED = { status: 'cancelled', events: [makeEvent({ kind: 'WorkflowCancelled' })] } as const;

/** Starts that end the oldest executions of their key. */
export function flowSurplusCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a start that cancels the oldest makes all before it surplus', async (t, { store }) => {
    const key = openKey(store, 1);
    const holder = await key.wait();
    await key.admits();
    const waiting = await key.wait();
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.told(), { hasRoom: false, hasSurplus: false });
    const newest = await key.cancelling();
    t.deepEqual(await key.told(), { hasRoom: false, hasSurplus: true });
    const { executionId, startedBy } = newest;
    t.deepEqual(await key.rows(), [
      { executionId: holder.executionId, for: executionId, startedBy },
      { executionId: waiting.executionId, for: executionId, startedBy },
    ]);
    const after = await key.wait();
    t.deepEqual(await key.surplus(), idsOf([holder, waiting]));
    await key.end(holder);
    // The one that waits longest would begin only to be cancelled.
    t.deepEqual(await key.admits(), []);
    t.deepEqual(await key.surplus(), idsOf([waiting]));
    await key.leave(waiting);
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.admits(), [executionId]);
    await key.end(newest);
    t.deepEqual(await key.admits(), idsOf([after]));
  });

  check('the newest stay, as many as the limit', async (t, { store }) => {
    const key = openKey(store, 2);
    const [first, second] = [await key.wait(), await key.wait()];
    await key.admits();
    const third = await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([first]));
    const fourth = await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([first, second]));
    const fifth = await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([first, second, third]));
    await key.end(first);
    t.deepEqual(await key.admits(), []);
    await key.leave(third);
    t.deepEqual(await key.admits(), idsOf([fourth]));
    t.deepEqual(await key.surplus(), idsOf([second]));
    await key.end(second);
    t.deepEqual(await key.admits(), idsOf([fifth]));
  });

  check('the oldest are surplus first, a few at a time', async (t, { store }) => {
    const key = openKey(store, 2);
    const [first, second] = [await key.wait(), await key.wait()];
    await key.admits();
    const [third, fourth] = [await key.wait(), await key.wait()];
    await key.cancelling();
    for (const [limit, surplus] of [
      [1, [first]],
      [2, [first, second]],
      [3, [first, second, third]],
      [4, [first, second, third]],
    ] as const) {
      t.deepEqual(await key.surplus(limit), idsOf(surplus));
    }
    await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([first, second, third, fourth]));
  });

  check('an execution that is about to end is surplus no more', async (t, { store }) => {
    const key = openKey(store, 2);
    const [first, second] = [await key.wait(), await key.wait()];
    await key.admits();
    const third = await key.cancelling();
    await store.flow.noteLeaving(first.executionId);
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.told(), { hasRoom: false, hasSurplus: false });
    t.deepEqual(await key.admits(), []);
    await key.end(first);
    t.deepEqual(await key.admits(), idsOf([third]));
    // The place of the first is taken by one that stays.
    await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([second]));
  });

  check('a start that finds a place makes nothing surplus', async (t, { store }) => {
    const key = openKey(store, 2);
    const first = await key.cancelling();
    t.deepEqual(await key.told(), { hasRoom: true, hasSurplus: false });
    t.deepEqual(await key.admits(), idsOf([first]));
    const second = await key.cancelling();
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.admits(), idsOf([second]));
    t.is(await key.told(), null);
  });

  check('a place that is free before anybody is cancelled is taken', async (t, { store }) => {
    const key = openKey(store, 2);
    const [first, second] = [await key.wait(), await key.wait()];
    await key.admits();
    const third = await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([first]));
    await key.end(second);
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.admits(), idsOf([third]));
  });

  check('a run that continues another is as old as the first run', async (t, { store, age }) => {
    const key = openKey(store, 2);
    const first = await key.take();
    await age({ table: 'flow_places', columns: ['taken_at'], byMs: 1_000 });
    const second = await key.take();
    const run = await key.continue(first);
    await key.cancelling();
    t.deepEqual(await key.surplus(), idsOf([run]));
    await key.end(run);
    await key.end(second);
  });

  check('a surplus execution that has ended unnoticed keeps nobody waiting', async (t, at) => {
    const key = openKey(at.store, 1);
    const holder = await key.wait();
    await key.admits();
    const waiting = await key.wait();
    const newest = await key.cancelling();
    await key.end(holder);
    await key.end(waiting);
    t.deepEqual(await key.surplus(), []);
    t.deepEqual(await key.admits(), []);
    t.deepEqual(await key.admits(), idsOf([newest]));
  });
}

/** A key of a new tenant, with a limit. */
function openKey(store: Store, placesMax: number) {
  const tenantId: TenantId = makeTenantId();
  const place = { placeKey: PLACE_KEY, placesMax };
  const of = { tenantId, placeKey: PLACE_KEY, limit: 100 };
  return {
    wait: () => start(store, { tenantId, create: { awaitsPlace: place } }),
    take: () => start(store, { tenantId, create: { takesPlace: place } }),
    async cancelling(): Promise<Started & { readonly startedBy: string }> {
      const create = { awaitsPlace: { ...place, cancelsOldest: true as const } };
      const startedBy = `token:${makeExecutionId()}`;
      const events = [{ ...makeStarted(makeNewExecution()), actorId: startedBy }];
      return { ...(await start(store, { tenantId, create, changes: { events } })), startedBy };
    },
    rows: () => store.flow.listSurplus(of),
    surplus: async (limit = of.limit) => idsOf(await store.flow.listSurplus({ ...of, limit })),
    admits: async () => idsOf(await store.flow.admit(of)),
    async told() {
      const { keys } = await store.flow.listKeys({
        limit: 1_000,
        lines: 1_000,
        batchBytesMax: 1_000,
      });
      const own = keys.find((key) => key.tenantId === tenantId);
      return own === undefined ? null : { hasRoom: own.hasRoom, hasSurplus: own.hasSurplus };
    },
    end: (execution: Started) => commitOne(store, makePlan(execution, ENDED)),
    leave: (execution: Started) =>
      commitOne(store, makePlan(execution, { ...ENDED, leavesQueue: true })),
    async continue(execution: Started): Promise<Started> {
      const executionId = makeExecutionId();
      const { definitionId, workflowId, workflowVersion, shard, priority } = makeNewExecution();
      await commitOne(
        store,
        makePlan(execution, {
          status: 'completed',
          events: [makeEvent({ kind: 'WorkflowCompleted' })],
          startsExecutions: [
            {
              executionId,
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
      return { executionId, tenantId };
    },
  };
}

function idsOf(rows: readonly { readonly executionId: ExecutionId }[]): readonly ExecutionId[] {
  return rows.map(({ executionId }) => executionId);
}
