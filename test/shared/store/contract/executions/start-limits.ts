import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type {
  CommitPlan,
  CommitVerdict,
  NewExecution,
  StartLimits,
} from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, claim, commitOne, judge, refuses } from '../drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeItem,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTicket,
  makeUuid,
} from '../make.ts';

const COMPETITORS = 20;

/** The store enforces a tenant's limits exactly, for any number of concurrent starts. */
export function startLimitCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('as many of twenty starts at once are accepted as there is room', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const verdicts = await atOnce(COMPETITORS, () => judge(store, starting(tenantId, { max: 7 })));
    t.is(verdicts.filter(({ accepted }) => accepted).length, 7);
    for (const verdict of verdicts) {
      if (!verdict.accepted) t.is(verdict.reason, 'executions_limited');
    }
    t.is(await countLive(store, tenantId), 7);
  });

  check(
    'the first of twenty starts in one batch that find room are accepted',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const plans = Array.from({ length: COMPETITORS }, () => starting(tenantId, { max: 3 }));
      const elsewhere = starting(await makeTenant(store), { max: 1 });
      const unlimited = starting(makeTenantId());
      const verdicts = await store.executions.commit([...plans, elsewhere, unlimited]);
      t.deepEqual(
        verdicts.map(({ accepted }) => accepted),
        [...plans.map((_, index) => index < 3), true, true],
      );
    },
  );

  check('twenty batches of starts at once never exceed the limit', async (t, { store }) => {
    const [one, other] = [await makeTenant(store), await makeTenant(store)];
    const batches = await atOnce(COMPETITORS, (index) => {
      const order = index % 2 === 0 ? [one, other] : [other, one];
      return store.executions.commit(
        order.flatMap((tenantId) => [
          starting(tenantId, { max: 11 }),
          starting(tenantId, { max: 11 }),
        ]),
      );
    });
    t.is(batches.flat().filter(({ accepted }) => accepted).length, 22);
    t.is(await countLive(store, one), 11);
    t.is(await countLive(store, other), 11);
  });

  check('an execution that ends makes room, one that pauses does not', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const first = starting(tenantId, { max: 1 });
    await commitOne(store, first);
    await commitOne(store, makePlan(first, { status: 'paused', events: [makeEvent()] }));
    t.like(await judge(store, starting(tenantId, { max: 1 })), { reason: 'executions_limited' });
    await commitOne(store, makePlan(first, { status: 'completed', events: [makeEvent()] }));
    t.true((await judge(store, starting(tenantId, { max: 1 }))).accepted);
  });

  check('a start beyond the limit writes nothing', async (t, database) => {
    const tenantId = await makeTenant(database.store);
    const plan = starting(tenantId, { max: 0, request: { key: makeUuid(), bodyHash: 'hash' } });
    await refuses(t, database, { plan, reason: 'executions_limited' });
  });

  check('a start that is sent again takes no room', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const request = { key: makeUuid(), bodyHash: 'hash' };
    const first = starting(tenantId, { max: 1, request });
    await commitOne(store, first);
    t.like(await judge(store, starting(tenantId, { max: 1, request })), {
      reason: 'duplicate_request',
      existing: { executionId: first.executionId, bodyHash: 'hash' },
    });
  });

  check(
    'a start that is sent again takes no room from the new ones beside it',
    async (t, { store }) => {
      const tenantId = await makeTenant(store);
      const requests = [makeRequest(), makeRequest()];
      for (const request of requests)
        await commitOne(store, starting(tenantId, { max: 5, request }));
      const batch = [
        ...requests.map((request) => starting(tenantId, { max: 5, request })),
        ...Array.from({ length: 4 }, () => starting(tenantId, { max: 5, request: makeRequest() })),
      ];
      t.deepEqual((await store.executions.commit(batch)).map(reasonOf), [
        'duplicate_request',
        'duplicate_request',
        null,
        null,
        null,
        'executions_limited',
      ]);
      t.is(await countLive(store, tenantId), 5);
    },
  );

  check('a key in one batch goes to the first start that is accepted', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const known = starting(tenantId, { max: 2 });
    await commitOne(store, known);
    const request = makeRequest();
    const refused = { ...starting(tenantId, { max: 2, request }), executionId: known.executionId };
    const first = starting(tenantId, { max: 2, request });
    const second = starting(tenantId, { max: 2, request });
    const late = starting(tenantId, { max: 2, request: makeRequest() });
    const batch = [refused, first, second, late, { ...late, executionId: makeExecutionId() }];
    const verdicts = await store.executions.commit(batch);
    const reasons = [
      'exists',
      null,
      'duplicate_request',
      'executions_limited',
      'executions_limited',
    ];
    t.deepEqual(verdicts.map(reasonOf), reasons);
    t.like(verdicts[2], { existing: { executionId: first.executionId } });
  });

  check('nothing is started while as many items wait as may', async (t, { store }) => {
    const tenantId = await makeTenant(store);
    const plans = Array.from({ length: 4 }, () => starting(tenantId, { queuedMax: 3, items: 2 }));
    const verdicts = await store.executions.commit(plans);
    t.deepEqual(
      verdicts.map(({ accepted }) => accepted),
      [true, true, false, false],
    );
    t.like(verdicts[2], { reason: 'queue_limited' });
    t.is((await claim(store, tenantId, { limit: 2 })).length, 2);
    t.true((await judge(store, starting(tenantId, { queuedMax: 3, items: 2 }))).accepted);
    t.like(await judge(store, starting(tenantId, { queuedMax: 3 })), { reason: 'queue_limited' });
  });
}

async function makeTenant(store: Store): Promise<TenantId> {
  const tenantId = makeTenantId();
  await store.tenants.create({ tenantId, name: 'limited', actorId: 'token:ci' });
  return tenantId;
}

function makeRequest(): NonNullable<NewExecution['request']> {
  return { key: makeUuid(), bodyHash: 'hash' };
}

/** Null: accepted. */
function reasonOf(verdict: CommitVerdict): string | null {
  return verdict.accepted ? null : verdict.reason;
}

function starting(
  tenantId: TenantId,
  options: {
    readonly max?: number;
    readonly queuedMax?: number;
    readonly items?: number;
    readonly request?: NewExecution['request'];
  } = {},
): CommitPlan {
  const { max = null, queuedMax = null, items = 0, request = null } = options;
  const execution = { executionId: makeExecutionId(), tenantId };
  const limits: StartLimits = { executionsMax: max, queuedItemsMax: queuedMax };
  const isLimited = max !== null || queuedMax !== null;
  return makePlan(execution, {
    create: makeNewExecution({ request, ...(isLimited && { limits }) }),
    events: [makeStarted()],
    newItems: Array.from({ length: items }, () => makeItem(makeTicket(execution))),
  });
}

async function countLive(store: Store, tenantId: TenantId): Promise<number> {
  const rows = await store.executions.list({
    tenantId,
    status: 'running',
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 100,
    offset: 0,
  });
  return rows.length;
}
