import type { ExecutionId, TenantId } from '../../../../../src/shared/domain/ids.ts';
import type {
  CommitPlan,
  StartedExecution,
  TreeUse,
} from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, refuses, start, type Started } from '../drive.ts';
import {
  makeDefinitionId,
  makeEvent,
  makeExecutionId,
  makePlan,
  makeStarted,
  makeTenantId,
  makeTimer,
} from '../make.ts';

const COMPETITORS = 20;
const ENDED = { status: 'cancelled', events: [makeEvent({ kind: 'WorkflowCancelled' })] } as const;

/** Starts and ends within one tree of executions, and the places of a tenant. */
export function treeCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check(
    'no more of twenty starts at once are accepted than the root may have',
    async (t, { store }) => {
      const root = await start(store);
      const members = await grow(store, root, COMPETITORS);
      const verdicts = await atOnce(COMPETITORS, (index) => {
        const member = members[index] ?? root;
        return judge(store, starting(member, root, { max: COMPETITORS + 7 }));
      });
      t.is(verdicts.filter(({ accepted }) => accepted).length, 7);
      for (const verdict of verdicts) {
        if (!verdict.accepted) t.is(verdict.reason, 'descendants_limited');
      }
    },
  );

  check('a batch adds to a tree what there is room for', async (t, { store }) => {
    const root = await start(store);
    const members = await grow(store, root, 5);
    const verdicts = await store.executions.commit(
      members.map((member) => starting(member, root, { max: 8 })),
    );
    t.is(verdicts.filter(({ accepted }) => accepted).length, 3);
  });

  check('below what has ended nothing starts and nothing begins', async (t, database) => {
    const { store } = database;
    const root = await start(store);
    const [child = root] = await grow(store, root, 1);
    const [leaf = root] = await grow(store, child, 1, root);
    await commitOne(store, makePlan(root, ENDED));
    for (const is of ['start', 'begin'] as const) {
      const plan = makePlan(leaf, { events: [makeEvent()], tree: useOf(root, is) });
      await refuses(t, database, { plan, reason: 'orphaned' });
    }
    const end = makePlan(leaf, { ...ENDED, tree: useOf(root, 'end') });
    t.true((await judge(store, end)).accepted);
  });

  check('nothing begins of what is about to be cancelled', async (t, { store }) => {
    const root = await start(store);
    const [child = root] = await grow(store, root, 1);
    const [leaf = root] = await grow(store, child, 1, root);
    const timer = { ...makeTimer({ name: 'parent_ended' }), purpose: 'parent_ended' as const };
    await commitOne(
      store,
      makePlan(root, { startsTimers: [{ ...timer, executionId: child.executionId }] }),
    );
    const plan = makePlan(leaf, { events: [makeEvent()], tree: useOf(root, 'begin') });
    t.like(await judge(store, plan), { accepted: false, reason: 'orphaned' });
  });

  check('an end and twenty that begin at once never overlook each other', async (t, { store }) => {
    const root = await start(store);
    const members = await grow(store, root, COMPETITORS);
    const verdicts = await atOnce(COMPETITORS + 1, async (index) => {
      const member = members[index];
      const plan =
        member === undefined
          ? makePlan(root, { ...ENDED, tree: useOf(root, 'end') })
          : makePlan(member, { events: [makeEvent()], tree: useOf(root, 'begin') });
      return { member, verdict: await judge(store, plan) };
    });
    const endedAt = (await store.executions.find(root.executionId, null))?.completedAt ?? '';
    for (const { member, verdict } of verdicts) {
      if (member === undefined) t.true(verdict.accepted);
      else if (verdict.accepted) t.true(verdict.createdAt <= endedAt);
      else t.is(verdict.reason, 'orphaned');
    }
  });

  check('a parent lends its place to its oldest child, others wait', async (t, { store }) => {
    const root = await limited(store, 1);
    const children = await waitFor(store, root, 3);
    const admitted = await store.places.admit({ tenantId: root.tenantId, limit: 100 });
    t.deepEqual(idsOf(admitted), idsOf(children.slice(0, 1)));
    t.deepEqual(idsOf(await store.places.admit({ tenantId: root.tenantId, limit: 100 })), []);
    const waits = await Promise.all(
      children.map(({ executionId }) => store.places.find(executionId)),
    );
    t.deepEqual(
      waits.map((wait) => wait?.ahead ?? null),
      [null, 0, 1],
    );
    t.is(waits[1]?.placesMax, 1);
    const last = children[2]?.executionId ?? root.executionId;
    t.is((await store.places.find(last, { aheadMax: 0 }))?.ahead, 0);
    t.true((await store.places.listTenants()).includes(root.tenantId));
    await commitOne(store, makePlan(children[0] ?? root, ENDED));
    const next = await store.places.admit({ tenantId: root.tenantId, limit: 100 });
    t.deepEqual(idsOf(next), idsOf(children.slice(1, 2)));
  });

  check('twenty who admit at once give no place twice', async (t, { store }) => {
    const root = await limited(store, 5);
    await waitFor(store, root, COMPETITORS);
    const { tenantId } = root;
    const rounds = await atOnce(COMPETITORS, () => store.places.admit({ tenantId, limit: 100 }));
    const admitted = idsOf(rounds.flat());
    // The first child uses the place of its parent; the other four take free places.
    t.is(admitted.length, 5);
    t.is(new Set(admitted).size, 5);
  });

  check(
    'a child that waits is on no list of what is runnable, until it has a place',
    async (t, { store }) => {
      const root = await limited(store, 1);
      const [first = root, second = root] = await waitFor(store, root, 2);
      await commitOne(store, makePlan(first, { runnable: 'mark' }));
      const list = async () =>
        idsOf(await store.runnable.list({ shards: [SHARD], limit: 10_000 })).filter((id) =>
          [first.executionId, second.executionId].includes(id),
        );
      t.deepEqual(await list(), []);
      await store.places.admit({ tenantId: root.tenantId, limit: 100 });
      t.deepEqual(await list(), [first.executionId]);
      await commitOne(store, makePlan(second, { ...ENDED, leavesQueue: true }));
      t.is(await store.places.find(second.executionId), null);
      t.false((await store.places.listTenants()).includes(root.tenantId));
    },
  );
}

const SHARD = 33;

function useOf(root: Started, is: TreeUse['is'], max = 1_000): TreeUse {
  return {
    is,
    rootExecutionId: root.executionId,
    adds: is === 'start' ? 1 : 0,
    descendantsMax: max,
  };
}

function childOf(parent: Started, changes: Partial<StartedExecution> = {}): StartedExecution {
  return {
    executionId: makeExecutionId(),
    definitionId: makeDefinitionId(),
    workflowId: 'child',
    workflowVersion: '1',
    shard: SHARD,
    priority: 0,
    parentExecutionId: parent.executionId,
    started: makeStarted(),
    used: null,
    waitsForPlace: false,
    takesPlaceOf: null,
    ...changes,
  };
}

function starting(parent: Started, root: Started, { max }: { readonly max: number }): CommitPlan {
  return makePlan(parent, {
    events: [makeEvent()],
    startsExecutions: [childOf(parent)],
    tree: useOf(root, 'start', max),
  });
}

/** Starts children of a member of the tree, in order. */
async function grow(
  store: Store,
  parent: Started,
  count: number,
  root = parent,
): Promise<readonly Started[]> {
  const children = Array.from({ length: count }, () => childOf(parent));
  await commitOne(
    store,
    makePlan(parent, {
      events: [makeEvent()],
      startsExecutions: children,
      tree: { ...useOf(root, 'start'), adds: count },
    }),
  );
  return children.map(({ executionId }) => ({ executionId, tenantId: parent.tenantId }));
}

/** An execution of a tenant with this limit. */
async function limited(store: Store, max: number): Promise<Started> {
  const tenantId: TenantId = makeTenantId();
  const by = { actorId: 'token:ci' };
  await store.tenants.create({ tenantId, name: 'limited', ...by });
  const limits = { max_concurrent_executions: max };
  await store.tenants.update(tenantId, { name: null, status: null, policy: null, limits, ...by });
  return start(store, { tenantId });
}

async function waitFor(store: Store, parent: Started, count: number): Promise<readonly Started[]> {
  const children: Started[] = [];
  for (let made = 0; made < count; made += 1) {
    const child = childOf(parent, { waitsForPlace: true });
    await commitOne(store, makePlan(parent, { events: [makeEvent()], startsExecutions: [child] }));
    children.push({ executionId: child.executionId, tenantId: parent.tenantId });
  }
  return children;
}

function idsOf(rows: readonly { readonly executionId: ExecutionId }[]): readonly ExecutionId[] {
  return rows.map(({ executionId }) => executionId);
}
