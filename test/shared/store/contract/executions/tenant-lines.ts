import type { ExecutionContext } from 'ava';

import type { ExecutionId, TenantId } from '../../../../../src/shared/domain/ids.ts';
import {
  batchLineOf,
  debounceLineOf,
} from '../../../../../src/shared/domain/workflow/flow/flow-key.ts';
import type { TenantLimits } from '../../../../../src/shared/domain/tenant.ts';
import type { TenantLine } from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, type Started } from '../drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
} from '../make.ts';

const COMPETITORS = 20;
const SHARD = 34;
const KEY = { placeKey: '["orders","acme"]', placesMax: 1 };
const ENDED = { status: 'cancelled', events: [makeEvent({ kind: 'WorkflowCancelled' })] } as const;

/** Starts that wait for a place of their tenant. */
export function tenantLineCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('starts in the line of a tenant begin in their order', async (t, { store }) => {
    const tenantId = await makeTenant(store, 2);
    const waiting = await startMany(store, tenantId, { count: 4 });
    t.deepEqual(await admit(store, tenantId), idsOf(waiting.slice(0, 2)));
    t.deepEqual(await admit(store, tenantId), []);
    const waits = await Promise.all(
      waiting.map(({ executionId }) => store.places.find(executionId)),
    );
    t.deepEqual(
      waits.map((wait) => wait?.ahead ?? null),
      [null, null, 0, 1],
    );
    t.deepEqual(await listRunnable(store, waiting), idsOf(waiting.slice(0, 2)));
    await end(store, waiting[1]);
    t.deepEqual(await admit(store, tenantId), idsOf(waiting.slice(2, 3)));
    await end(store, waiting[3]);
    t.false((await store.places.listTenants()).includes(tenantId));
  });

  check('twenty starts and twenty admissions at once keep the limit', async (t, { store }) => {
    const tenantId = await makeTenant(store, 7);
    await startMany(store, tenantId, { count: 10 });
    const rounds = await atOnce(COMPETITORS, async (index) => {
      if (index % 2 === 0) return admit(store, tenantId);
      const begun = starting(tenantId, null);
      return (await judge(store, begun)).accepted ? [begun.executionId] : [];
    });
    t.is(new Set(rounds.flat()).size, 7);
    t.is(rounds.flat().length, 7);
    t.deepEqual(await admit(store, tenantId), []);
  });

  check('a start that begins at once does not pass those in the line', async (t, { store }) => {
    const tenantId = await makeTenant(store, 2);
    const [first] = await startMany(store, tenantId, { count: 1 });
    const refused = await judge(store, starting(tenantId, null));
    t.like(refused, { accepted: false, reason: 'executions_limited' });
    t.deepEqual(await admit(store, tenantId), idsOf([first]));
    t.true((await judge(store, starting(tenantId, null))).accepted);
  });

  check(
    'one that waits for its key takes no place, and joins the line with it',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const keyed = await startMany(store, tenantId, {
        count: 1,
        state: 'later',
        awaitsPlace: KEY,
      });
      const [other] = await startMany(store, tenantId, { count: 1 });
      t.is(await store.places.find(keyed[0]?.executionId ?? makeExecutionId()), null);
      t.deepEqual(await admit(store, tenantId), idsOf([other]));
      const placed = await store.flow.admit({ tenantId, placeKey: KEY.placeKey, limit: 10 });
      t.deepEqual(idsOf(placed), idsOf(keyed));
      t.deepEqual(await listRunnable(store, keyed), []);
      t.like(await store.places.find(keyed[0]?.executionId ?? makeExecutionId()), { ahead: 0 });
      await end(store, other);
      t.deepEqual(await admit(store, tenantId), idsOf(keyed));
    },
  );

  check(
    'one that moves from the line of its batch to that of its key stands in no line of its tenant yet',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const batch = { waitMs: 0, bytes: 2 };
      const awaitsPlace = { placeKey: batchLineOf('orders', 'acme'), placesMax: 10, batch };
      const [first] = await startMany(store, tenantId, { count: 1, state: 'later', awaitsPlace });
      if (first === undefined) return t.fail();
      const entersQueue = { ...KEY, shard: SHARD };
      const closed = { events: [makeEvent({ kind: 'BatchClosed' })], isTogether: true } as const;
      await commitOne(store, makePlan(first, { ...closed, entersQueue }));
      await takesNoPlaceYet(t, { store, tenantId, execution: first });
    },
  );

  check(
    'one that moves from a debounced line to that of its key stands in no line of its tenant yet',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const placeKey = debounceLineOf('orders', 'acme');
      const debounce = { waitMs: 0, maxWaitMs: null, next: KEY };
      const awaitsPlace = { placeKey, placesMax: 1, cancelsOldest: true, debounce } as const;
      const [newest] = await startMany(store, tenantId, { count: 1, state: 'later', awaitsPlace });
      if (newest === undefined) return t.fail();
      t.true((await store.flow.endDebounce({ tenantId, placeKey })).hasMoved);
      await takesNoPlaceYet(t, { store, tenantId, execution: newest });
    },
  );

  check(
    'one that waited for its key before gives up the place it was counted with',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const before = starting(tenantId, null, { awaitsPlace: KEY });
      await commitOne(store, before);
      const waiting = await startMany(store, tenantId, { count: 2 });
      t.deepEqual(await admit(store, tenantId), idsOf(waiting.slice(0, 1)));
      await store.flow.admit({ tenantId, placeKey: KEY.placeKey, limit: 10 });
      t.deepEqual(await listRunnable(store, [before]), []);
      await end(store, waiting[0]);
      t.deepEqual(await admit(store, tenantId), idsOf(waiting.slice(1)));
      await end(store, waiting[1]);
      t.deepEqual(await admit(store, tenantId), [before.executionId]);
    },
  );

  check(
    'those in line begin after a change to refuse, though others wait for a key',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const [keyed] = await startMany(store, tenantId, {
        count: 1,
        state: 'later',
        awaitsPlace: KEY,
      });
      await store.flow.admit({ tenantId, placeKey: KEY.placeKey, limit: 10 });
      await setLimits(store, tenantId, { max_concurrent_executions: 1 });
      // A process that did not know of the line counted it.
      await commitOne(store, starting(tenantId, null, { awaitsPlace: KEY, limits: null }));
      t.deepEqual(await admit(store, tenantId), idsOf([keyed]));
    },
  );

  check(
    'one whose time has come joins the line, and keeps no other place',
    async (t, { store }) => {
      const tenantId = await makeTenant(store, 1);
      const [delayed] = await startMany(store, tenantId, { count: 1, state: 'later' });
      const [first] = await startMany(store, tenantId, { count: 1 });
      t.deepEqual(await admit(store, tenantId), idsOf([first]));
      if (delayed === undefined) return t.fail();
      await commitOne(
        store,
        makePlan(delayed, {
          events: [makeEvent()],
          runnable: 'mark',
          tenantLine: { state: 'waiting', shard: SHARD, isNew: false },
        }),
      );
      t.deepEqual(await listRunnable(store, [delayed]), []);
      await end(store, first);
      t.deepEqual(await admit(store, tenantId), idsOf([delayed]));
      t.deepEqual(await listRunnable(store, [delayed]), idsOf([delayed]));
    },
  );

  check('where no line is, one whose time has come begins', async (t, { store }) => {
    const tenantId = await makeTenant(store, 1, {});
    const delayed = starting(tenantId, null);
    await commitOne(store, delayed);
    const tenantLine = { state: 'waiting', shard: SHARD, isNew: false } as const;
    await commitOne(
      store,
      makePlan(delayed, { events: [makeEvent()], runnable: 'mark', tenantLine }),
    );
    t.deepEqual(await listRunnable(store, [delayed]), [delayed.executionId]);
  });

  check('without a limit all of the line begin', async (t, { store }) => {
    const tenantId = await makeTenant(store, 1);
    const waiting = await startMany(store, tenantId, { count: 3 });
    await setLimits(store, tenantId, {});
    t.deepEqual(await admit(store, tenantId), idsOf(waiting));
  });
}

/** It waits for its key, and joins the line of its tenant with the place of the key. */
async function takesNoPlaceYet(
  t: ExecutionContext,
  of: { readonly store: Store; readonly tenantId: TenantId; readonly execution: Started },
): Promise<void> {
  const { store, tenantId, execution } = of;
  const { executionId } = execution;
  t.is(await store.places.find(executionId), null);
  t.false((await store.places.listTenants()).includes(tenantId));
  const placed = await store.flow.admit({ tenantId, placeKey: KEY.placeKey, limit: 10 });
  t.deepEqual(idsOf(placed), [executionId]);
  t.like(await store.places.find(executionId), { ahead: 0 });
  t.deepEqual(await admit(store, tenantId), [executionId]);
}

async function makeTenant(
  store: Store,
  max: number,
  limits: TenantLimits = { when_full: 'queue' },
): Promise<TenantId> {
  const tenantId = makeTenantId();
  await store.tenants.create({ tenantId, name: 'limited', actorId: 'token:ci' });
  await setLimits(store, tenantId, { ...limits, max_concurrent_executions: max });
  return tenantId;
}

async function setLimits(store: Store, tenantId: TenantId, limits: TenantLimits): Promise<void> {
  const changes = { name: null, status: null, policy: null, limits };
  await store.tenants.update(tenantId, { ...changes, actorId: 'token:ci' });
}

/** A start that takes a place with its commit if there is one, or stands in the line. */
function starting(
  tenantId: TenantId,
  state: TenantLine['state'] | null,
  create: Parameters<typeof makeNewExecution>[0] = {},
) {
  const limits = { executionsMax: state === null ? 7 : null, queuedItemsMax: null };
  return makePlan(
    { executionId: makeExecutionId(), tenantId },
    {
      create: makeNewExecution({ shard: SHARD, limits, ...create }),
      events: [makeStarted()],
      ...(state !== null && { tenantLine: { state, shard: SHARD, isNew: true } }),
    },
  );
}

async function startMany(
  store: Store,
  tenantId: TenantId,
  of: Parameters<typeof makeNewExecution>[0] & {
    readonly count: number;
    readonly state?: TenantLine['state'];
  },
): Promise<readonly Started[]> {
  const { count, state = 'waiting', ...create } = of;
  const plans = Array.from({ length: count }, () => starting(tenantId, state, create));
  for (const plan of plans) await commitOne(store, plan);
  return plans;
}

async function admit(store: Store, tenantId: TenantId): Promise<readonly ExecutionId[]> {
  return idsOf(await store.places.admit({ tenantId, limit: 100 }));
}

async function end(store: Store, execution: Started | undefined): Promise<void> {
  if (execution === undefined) throw new Error('there is none');
  await commitOne(store, makePlan(execution, { ...ENDED, leavesQueue: true }));
}

async function listRunnable(
  store: Store,
  among: readonly Started[],
): Promise<readonly ExecutionId[]> {
  const ids = new Set(idsOf(among));
  const marked = await store.runnable.list({ shards: [SHARD], limit: 10_000 });
  return idsOf(marked).filter((id) => ids.has(id));
}

function idsOf(
  rows: readonly ({ readonly executionId: ExecutionId } | undefined)[],
): readonly ExecutionId[] {
  return rows.flatMap((row) => row?.executionId ?? []);
}
