import { gatherCriteria } from '../../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../../src/shared/domain/execution/query/parse-query.ts';
import type {
  DefinitionId,
  ExecutionId,
  TenantId,
  WorkItemId,
} from '../../../../../src/shared/domain/ids.ts';
import type { FailureCause, NewExecution } from '../../../../../src/shared/store/commit.ts';
import type { GroupFailedItems } from '../../../../../src/shared/store/readings/work-overview.ts';
import type { FailureMember } from '../../../../../src/shared/store/readings/failures.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import { changeTable, type TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { claimOne, commitOne, settleOf, start } from '../drive.ts';
import {
  makeCause,
  makeDefinitionId,
  makeEvent,
  makeItem,
  makeKey,
  makePlan,
  makeTenantId,
  makeTicket,
} from '../make.ts';

const LONG_AGO = '2020-01-01T00:00:00.000Z';

export function failedItemCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('failed items are the dead letters of a time, latest first', async (t, { store }) => {
    const tenantId = makeTenantId();
    const cause = { causeKey: 2 ** 48 - 1 };
    const failed = { tenantId, nodeId: 'pay', error: 'card refused', cause };
    const first = await failItem(store, failed);
    const { workItemId } = await failItem(store, { tenantId });
    const { items, isExact } = await list(store, tenantId);
    t.true(isExact);
    t.deepEqual(
      items.map((item) => item.workItemId),
      [workItemId, first.workItemId],
    );
    t.like(items[1], {
      ...first,
      workflowId: 'greet',
      nodeId: 'pay',
      tool: 'greetings.hello',
      queue: 'python_tool',
      error: 'card refused',
      causeKey: 2 ** 48 - 1,
      isLive: true,
    });
    t.regex(items[1]?.failedAt ?? '', /^\d{4}-.*Z$/);
    t.deepEqual((await list(store, tenantId, '', { since: '2999-01-01T00:00:00.000Z' })).items, []);
    t.deepEqual((await list(store, tenantId, '', { before: LONG_AGO })).items, []);
    t.deepEqual((await list(store, makeTenantId())).items, []);
    const { queues } = await store.workOverview.readQueues({ tenantId, rowsMax: 100 });
    t.like(queues[0], { tool: 'greetings.hello', waiting: 0, leased: 0, failed: 2 });
  });

  check('failed items are found by their executions, behind any number of others', async (t, c) => {
    const { store } = c;
    const tenantId = makeTenantId();
    const labels = { customer: 'acme' };
    await failItem(store, { tenantId, error: 'a', create: { workflowId: 'orders', labels } });
    await failItem(store, { tenantId, error: 'b', create: { workflowId: 'orders' }, ends: true });
    for (const error of ['c', 'd', 'e']) await failItem(store, { tenantId, error });
    const find = async (query: string) =>
      (await list(store, tenantId, query, { limit: 2 })).items.map(({ error }) => error);
    t.deepEqual(await find(''), ['e', 'd']);
    t.deepEqual(await find('workflow = orders'), ['b', 'a']);
    t.deepEqual(await find('workflow = orders and version = "1.0.0"'), ['b', 'a']);
    t.deepEqual(await find('labels.customer = acme'), ['a']);
    t.deepEqual(await find('labels.customer ~ CM'), ['a']);
    t.deepEqual(await find('workflow = orders and labels.customer != acme'), ['b']);
    t.deepEqual(await find('status = failed'), ['b']);
    t.deepEqual(await find('ended > -1h'), ['b']);
    t.deepEqual(await find('workflow = orders and started > -1h'), ['b', 'a']);
    t.deepEqual(await find('started < -1h'), []);
    t.deepEqual(await find('waiting = true'), []);
    t.deepEqual(await find('workflow ~ "%"'), []);
  });

  check(
    'failed items are in groups by the key of their cause and their place',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const create = { definitionId: makeDefinitionId(), workflowId: 'orders' };
      const failed = { tenantId, create, nodeId: 'pay', cause: { causeKey: 7 } };
      for (const error of ['card 1', 'card 2']) await failItem(store, { ...failed, error });
      const last = await failItem(store, { ...failed, error: 'card 3', ends: true });
      await failItem(store, { ...failed, error: 'bank', cause: { causeKey: 8 } });
      await failItem(store, { ...failed, nodeId: 'ship', error: 'card 4' });
      await failItem(store, { ...failed, create: { ...create, workflowId: 'refunds' } });
      await failItem(store, {
        ...failed,
        create: { workflowId: 'orders' },
        error: 'another definition',
      });
      const read = async (changes: Partial<GroupFailedItems> = {}) => {
        const grouping = { members: 2, byMessage: [] };
        return groupItems(store, tenantId, '', { grouping, ...changes });
      };
      const { groups, isExact } = await read();
      t.true(isExact);
      t.is(groups.length, 5);
      const cards = groups.find(({ count }) => count === 3);
      t.like(cards, {
        definitionId: create.definitionId,
        workflowId: 'orders',
        nodeId: 'pay',
        place: { tool: 'greetings.hello', queue: 'python_tool' },
        causeKey: 7,
        live: 2,
      });
      const latest = cards?.latest() ?? [];
      t.deepEqual(
        latest.map(({ error, isLive }) => [error, isLive]),
        [
          ['card 3', false],
          ['card 2', true],
        ],
      );
      t.like(latest[0], last);
      t.like(cards, { lastAt: latest[0]?.failedAt, error: 'card 3' });
      t.true((cards?.firstAt ?? '9') <= (latest[1]?.failedAt ?? ''));
      t.false((await read({ limit: 7 })).isExact);
      t.true((await read({ limit: 8 })).isExact);
      // The oldest two of the cards are beyond the limit.
      const few = (await read({ limit: 5 })).groups;
      t.deepEqual(
        few.map(({ count }) => count),
        [1, 1, 1, 1, 1],
      );
    },
  );

  check(
    'failed items without a key, or by message, are alike with equal messages',
    async (t, c) => {
      const { store, url } = c;
      const tenantId = makeTenantId();
      const [keyed, hidden] = [makeDefinitionId(), makeDefinitionId()];
      const fail = async (definitionId: DefinitionId, error: string) =>
        failItem(store, { tenantId, create: { definitionId }, error });
      for (const error of ['to a@b.c', 'to d@e.f', 'to a@b.c']) await fail(hidden, error);
      for (const error of ['order 1', 'order 2', 'order 1']) await fail(keyed, error);
      const read = async (byMessage: readonly DefinitionId[]) => {
        const { groups } = await groupItems(store, tenantId, '', {
          grouping: { members: 1, byMessage },
        });
        return groups.map(({ error, count }) => `${error} ${count}`).toSorted();
      };
      t.deepEqual(await read([]), ['order 1 3', 'to a@b.c 3']);
      t.deepEqual(await read([hidden]), ['order 1 3', 'to a@b.c 2', 'to d@e.f 1']);
      // As failures from before the keys.
      await changeTable(url)(
        `update dead_letters set cause_key = null where tenant_id = '${tenantId}'`,
      );
      t.deepEqual(await read([]), ['order 1 2', 'order 2 1', 'to a@b.c 2', 'to d@e.f 1']);
    },
  );

  check('a condition on errors is about the error of the item', async (t, { store }) => {
    const tenantId = makeTenantId();
    const create = async (ir: object) => ({ definitionId: await register(store, tenantId, ir) });
    await failItem(store, { tenantId, error: 'a Timeout of 5 s', create: await create({}) });
    await failItem(store, { tenantId, error: 'refused', create: await create({}), ends: true });
    const hidden = await create({ data_policy: { redact: ['$.card'] } });
    await failItem(store, { tenantId, error: 'a timeout of 7 s', create: hidden });
    const find = async (query: string) =>
      (await list(store, tenantId, query)).items.map(({ error }) => error);
    t.deepEqual(await find('error ~ timeout'), ['a Timeout of 5 s']);
    t.deepEqual(await find('error ~ refused'), ['refused']);
    t.deepEqual(await find('error ~ "the execution"'), []);
  });

  check('a condition on classes is about the class of the item', async (t, { store }) => {
    const tenantId = makeTenantId();
    const create = async (ir: object) => ({ definitionId: await register(store, tenantId, ir) });
    const ofClass = async (errorClass: string, ir: object, ends = false) => {
      const cause = { errorClass };
      await failItem(store, { tenantId, error: errorClass, create: await create(ir), ends, cause });
    };
    await ofClass('Timeout', {});
    await ofClass('Refused', {}, true);
    await ofClass('Timeout', { data_policy: { redact: ['$.card'] } });
    const find = async (query: string) =>
      (await list(store, tenantId, query)).items.map(({ error }) => error);
    t.deepEqual(await find('error_class = Timeout'), ['Timeout']);
    t.deepEqual(await find('error_class in (Timeout, Refused)'), ['Refused', 'Timeout']);
    t.deepEqual(await find('error_class in (Timeout, Refused) and status = failed'), ['Refused']);
    t.deepEqual(await find('error_class = timeout'), []);
  });

  check('a list of failed items says whether it has all', async (t, { store }) => {
    const tenantId = makeTenantId();
    await failItem(store, { tenantId, error: 'a', create: { workflowId: 'orders' } });
    for (const error of ['b', 'c']) await failItem(store, { tenantId, error });
    const read = async (query: string, bounds: Partial<GroupFailedItems>) => {
      const { items, isExact } = await list(store, tenantId, query, bounds);
      return [items.map(({ error }) => error).join(''), isExact];
    };
    t.deepEqual(await read('', { limit: 4 }), ['cba', true]);
    // There may be more.
    t.deepEqual(await read('', { limit: 3 }), ['cba', false]);
    t.deepEqual(await read('', { limit: 2 }), ['cb', false]);
    t.true((await read('error ~ b', { within: 3 }))[1]);
    t.false((await read('error ~ b', { within: 2 }))[1]);
    // Half as many, where each costs a search.
    t.deepEqual(await read('workflow ~ ord', { within: 6 }), ['a', true]);
    t.deepEqual(await read('workflow ~ ord', { within: 4 }), ['a', false]);
    t.deepEqual(await read('workflow ~ ord', { within: 2 }), ['', false]);
    // Those of one workflow are looked through alone.
    t.deepEqual(await read('workflow = orders', { within: 1 }), ['a', true]);
    t.deepEqual(await read('workflow = orders and version ~ 1', { within: 4 }), ['a', true]);
    t.deepEqual(await read('workflow = greet and version ~ 1', { within: 4 }), ['cb', true]);
    t.deepEqual(await read('workflow = greet and version ~ 1', { within: 2 }), ['cb', false]);
    t.deepEqual(await read('workflow = greet', { limit: 3 }), ['cb', true]);
    t.deepEqual(await read('workflow = greet', { limit: 1 }), ['c', false]);
    t.deepEqual(await read('workflow = nothing', { within: 1 }), ['', true]);
    const of = { tenantId, limit: 10, before: null, nodeId: null, cursor: null };
    const letters = await store.work.listDeadLetters({ ...of, workflowId: 'greet' });
    t.deepEqual(
      letters.map(({ error }) => error),
      ['c', 'b'],
    );
  });
}

/** All members of the groups, the latest first. */
async function list(
  store: Store,
  tenantId: TenantId,
  query = '',
  changes: Partial<GroupFailedItems> = {},
) {
  const { groups, isExact } = await groupItems(store, tenantId, query, changes);
  const items = groups.flatMap(({ latest, nodeId, place, workflowId, causeKey }) =>
    latest().map((member) => ({ ...member, ...place, nodeId, workflowId, causeKey })),
  );
  return { items: items.toSorted(byTime).toReversed(), isExact };
}

type Failed = Pick<FailureMember, 'failedAt' | 'workItemId'>;

function byTime(one: Failed, other: Failed): number {
  const [first, second] = [one, other].map((each) => `${each.failedAt} ${each.workItemId}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

async function groupItems(
  store: Store,
  tenantId: TenantId,
  query = '',
  changes: Partial<GroupFailedItems> = {},
) {
  const { conditions, problems } = parseQuery(query);
  if (problems !== null) throw new Error(problems[0]?.message);
  return store.workOverview.groupFailedItems({
    tenantId,
    criteria: gatherCriteria(conditions, Date.parse(await store.diagnosis.clock()) + 1),
    since: LONG_AGO,
    before: null,
    limit: 10,
    within: 1_000,
    grouping: { members: 10, byMessage: [] },
    ...changes,
  });
}

/** An item whose attempts are used up. `ends`: its execution fails, too. */
async function failItem(
  store: Store,
  params: {
    readonly tenantId: TenantId;
    readonly nodeId?: string;
    readonly error?: string;
    readonly create?: Partial<NewExecution>;
    readonly ends?: boolean;
    readonly cause?: Partial<FailureCause>;
  },
): Promise<{ readonly executionId: ExecutionId; readonly workItemId: WorkItemId }> {
  const { tenantId, create = {}, nodeId = 'call', error = 'boom', cause = {} } = params;
  const execution = await start(store, { tenantId, create });
  const ticket = makeTicket(execution, { nodeId });
  await commitOne(store, makePlan(execution, { newItems: [makeItem(ticket)] }));
  const { workItemId } = ticket;
  await commitOne(
    store,
    makePlan(execution, {
      settles: [settleOf(await claimOne(store, tenantId))],
      deadLetters: [{ workItemId, attempt: 2, error, ...makeCause(cause) }],
    }),
  );
  if (params.ends === true) {
    const event = makeEvent({ kind: 'WorkflowFailed', nodeId: null, payload: '{}' });
    const end = { status: 'failed', error: 'the execution failed', revokesAll: true } as const;
    await commitOne(store, makePlan(execution, { events: [event], ...end }));
  }
  return { executionId: execution.executionId, workItemId };
}

async function register(store: Store, tenantId: TenantId, ir: object) {
  const definitionId = makeDefinitionId();
  await store.definitions.register({
    definitionId,
    tenantId,
    workflowId: 'orders',
    version: '1',
    ir: { workflow_id: 'orders', ...ir },
    irHash: makeKey(),
    actorId: 'user:test',
  });
  return definitionId;
}
