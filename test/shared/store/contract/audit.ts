import type { ExecutionContext } from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type {
  ExportedItem,
  ExportPosition,
  ListAudit,
  ListedItem,
} from '../../../../src/shared/store/audit.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { changeTable, type TestStore } from '../../../support/stores.ts';
import { contractCases } from './contract-case.ts';
import {
  atOnce,
  claimOne,
  commitOne,
  requeueNow,
  settleOf,
  start,
  startWithItems,
} from './drive.ts';
import { addOne } from './memory/memory-make.ts';
import { makeDefinitionId, makeEvent, makeKey, makePlan, makeTenantId, makeUuid } from './make.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function auditCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('every event of an execution is an audit item', async (t, { store }) => {
    const execution = await start(store);
    const { executionId, tenantId } = execution;
    const { createdAt } = await commitOne(
      store,
      makePlan(execution, {
        events: [
          makeEvent({ kind: 'NodeScheduled' }),
          makeEvent({ kind: 'ToolCallCompleted', actorId: 'worker:w' }),
        ],
      }),
    );
    const { items, total } = await list(store, { tenantId });
    t.is(total, 3);
    const rest = { tenantId, executionId, createdAt, nodeId: 'node', payload: null };
    t.deepEqual(
      items.slice(0, 2).map(({ id: _, ...item }) => item),
      [
        { ...rest, sequence: 3, eventType: 'tool_call_completed', actorId: 'worker:w' },
        { ...rest, sequence: 2, eventType: 'node_scheduled', actorId: 'system:scheduler' },
      ],
    );
    t.like(items[2], { eventType: 'workflow_started', nodeId: null });
    t.is(new Set(items.map(({ id }) => id)).size, 3);
    for (const { id } of items) t.regex(id, UUID);
    t.deepEqual((await list(store, { tenantId })).items, items);
  });

  check('an entry of its own is an item of its execution', async (t, { store }) => {
    const { executionId, tenantId } = await start(store);
    await store.audit.append({
      tenantId,
      executionId,
      eventType: 'companion_prompt',
      actorId: 'token:app',
      payload: { content: 'hello' },
    });
    const { items, total } = await list(store, { tenantId });
    t.is(total, 2);
    // Items of the same millisecond have no order.
    const own = items.find(({ sequence }) => sequence === null);
    t.like(own, {
      executionId,
      eventType: 'companion_prompt',
      actorId: 'token:app',
      payload: { content: 'hello' },
    });
  });

  check(
    'a managing request leaves an item, and none if it changed nothing',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const definition = {
        tenantId,
        workflowId: 'w',
        version: '1',
        irHash: 'a',
        ir: { workflow_id: 'w' },
        actorId: 'token:ci',
      };
      const register = () =>
        store.definitions.register({ ...definition, definitionId: makeDefinitionId() });
      await register();
      await register();
      const { tokenId } = await store.tokens.create({
        tokenId: makeUuid(),
        tenantId,
        name: 'new',
        role: 'viewer',
        hash: makeKey(),
        expiresInMs: null,
        actorId: 'token:ops',
      });
      await store.tokens.revoke(tokenId, tenantId, 'token:ops');
      await store.tokens.revoke(tokenId, tenantId, 'token:ops');
      const { items, total } = await list(store, { tenantId });
      t.is(total, 3);
      t.deepEqual(
        items.map(({ id: _, createdAt: __, ...item }) => item),
        [
          {
            eventType: 'token_revoked',
            actorId: 'token:ops',
            payload: { token_id: tokenId, name: 'new' },
          },
          {
            eventType: 'token_created',
            actorId: 'token:ops',
            payload: { token_id: tokenId, name: 'new', role: 'viewer' },
          },
          {
            eventType: 'workflow_registered',
            actorId: 'token:ci',
            payload: { workflow_id: 'w', version: '1', revision: 1, ir_hash: 'a' },
          },
        ].map((item) => ({ ...item, tenantId, executionId: null, sequence: null, nodeId: null })),
      );
    },
  );

  check('settling without a fence and requeueing leave an item each', async (t, { store }) => {
    const { tenantId, executionId, tickets } = await startWithItems(store, [{}]);
    const workItemId = tickets[0]?.workItemId ?? '';
    const { ticket } = await claimOne(store, tenantId);
    const settle = { workItemId: ticket.workItemId, tenantId, record: null, deadLetter: 'lost' };
    await store.work.settleUnfenced(settle);
    await store.work.settleUnfenced(settle);
    await requeueNow(store, ticket.workItemId, tenantId);
    await requeueNow(store, ticket.workItemId, tenantId);
    const { items } = await list(store, { tenantId, executionId });
    t.deepEqual(
      items
        .filter(({ sequence }) => sequence === null)
        .map(({ eventType, actorId, payload }) => ({ eventType, actorId, payload })),
      [
        {
          eventType: 'work_item_requeued',
          actorId: 'token:ops',
          payload: { work_item_id: workItemId, node_id: 'node' },
        },
        {
          eventType: 'work_item_settled_unfenced',
          actorId: 'worker:worker-1',
          payload: {
            work_item_id: workItemId,
            node_id: 'node',
            attempt: 0,
            output_recorded: false,
            dead_letter: 'lost',
          },
        },
      ],
    );
    t.is(items.length, 3);
  });

  check('changes of memory leave items, and nothing of the facts', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { memory } = store;
    const actorId = 'token:ops';
    const key = { keyId: 'k', box: 'sealed' };
    await memory.saveSettings({ tenantId, provider: 'openai', key, enabled: true, actorId });
    await memory.setEnabled({ tenantId, enabled: false, actorId });
    const { factId } = await addOne(memory, tenantId, { content: 'private' });
    const forgetting = { tenantId, factId, reason: 'wrong', actorId };
    await memory.forgetFact(forgetting);
    await memory.forgetFact(forgetting);
    const { items } = await list(store, { tenantId });
    t.deepEqual(
      items.map(({ eventType, payload }) => [eventType, payload]),
      [
        ['memory_fact_forgotten', { fact_id: factId, reason: 'wrong' }],
        ['memory_fact_added', { fact_id: factId }],
        ['memory_settings_changed', { enabled: false }],
        ['memory_settings_saved', { provider: 'openai', enabled: true }],
      ],
    );
  });

  check('a refused commit leaves no item, and a claim none', async (t, { store }) => {
    const { tenantId } = await startWithItems(store, [{}]);
    const item = await claimOne(store, tenantId);
    const settle = makePlan(item.ticket, { settles: [settleOf(item)], events: [makeEvent()] });
    await atOnce(5, () => store.executions.commit([settle]));
    t.is((await list(store, { tenantId })).total, 2);
  });

  check(
    'items are filtered by execution, actor and type, with their number',
    async (t, { store }) => {
      const one = await start(store);
      const { tenantId } = one;
      const other = await start(store, { tenantId });
      const done = makeEvent({ kind: 'NodeCompleted', actorId: 'worker:a' });
      await commitOne(store, makePlan(one, { events: [done, { ...done, actorId: 'worker:b' }] }));
      await commitOne(store, makePlan(other, { events: [done] }));
      const totals = async (filter: Partial<ListAudit>) => {
        const page = await list(store, { tenantId, ...filter });
        t.is(page.items.length, page.total);
        return page.total;
      };
      t.is(await totals({}), 5);
      t.is(await totals({ executionId: one.executionId }), 3);
      t.is(await totals({ eventType: 'node_completed' }), 3);
      t.is(await totals({ eventType: 'NodeCompleted' }), 0);
      t.is(await totals({ eventType: 'workflow_registered' }), 0);
      t.is(await totals({ actorId: 'worker:a' }), 2);
      const both = { actorId: 'worker:a', eventType: 'node_completed' };
      t.is(await totals({ ...both, executionId: one.executionId }), 1);
      t.is(await totals({ tenantId: makeTenantId() }), 0);
      t.is(await totals({ tenantId: makeTenantId(), executionId: one.executionId }), 0);
    },
  );

  check(
    'items come newest first, in pages that neither miss nor repeat one',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      for (let index = 0; index < 4; index += 1) {
        const execution = await start(store, { tenantId });
        await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
      }
      const all = await list(store, { tenantId, limit: 100 });
      t.is(all.items.length, 12);
      const times = all.items.map(({ createdAt }) => createdAt);
      t.deepEqual(times, times.toSorted().toReversed());
      const paged = [];
      for (let offset = 0; offset < 15; offset += 5) {
        const page = await list(store, { tenantId, limit: 5, offset });
        t.is(page.total, 12);
        paged.push(...page.items);
      }
      t.deepEqual(paged, all.items);
      const followed: ListedItem[] = [];
      for (;;) {
        const last = followed.at(-1);
        const after = last === undefined ? null : placeOf(last);
        const page = await list(store, { tenantId, limit: 5, after });
        t.is(page.total, 12);
        if (page.items.length === 0) break;
        followed.push(...page.items);
      }
      t.deepEqual(followed, all.items);
      t.is((await list(store, { tenantId, limit: 12 })).next, null, 'a full page is the last');
      const penultimate = all.items.at(-2);
      t.deepEqual(
        (await list(store, { tenantId, limit: 11 })).next,
        penultimate && placeOf(penultimate),
      );
      const [since = '', until = ''] = [times[8], times[2]];
      const within = all.items.filter((of) => of.createdAt >= since && of.createdAt < until);
      const found = await list(store, { tenantId, since, until });
      t.deepEqual(found.items, within);
      t.like(found, { total: within.length, totalIsExact: true });
      const [first] = within;
      const rest = { since, until, after: first === undefined ? null : placeOf(first) };
      t.deepEqual((await list(store, { tenantId, ...rest })).items, within.slice(1));
      t.is((await list(store, { tenantId, since: '2999-01-01T00:00:00.000Z' })).total, 0);
    },
  );

  check('everything is exported, oldest first, with its payload', async (t, { store }) => {
    const tenantId = makeTenantId();
    for (let index = 0; index < 3; index += 1) {
      const execution = await start(store, { tenantId });
      await commitOne(store, makePlan(execution, { events: [makeEvent(), makeEvent()] }));
    }
    const exported = await exportAll(store, { tenantId });
    const listed = await list(store, { tenantId, limit: 100 });
    t.deepEqual(
      exported.map(({ id }) => id).toSorted(),
      listed.items.map(({ id }) => id).toSorted(),
    );
    const times = exported.map(({ createdAt }) => createdAt);
    t.deepEqual(times, times.toSorted());
    t.deepEqual(exported.find(({ sequence }) => sequence === 2)?.payload, { visit: 0 });
    const [first] = times;
    if (first === undefined) throw new Error('nothing was exported');
    t.deepEqual(await exportAll(store, { tenantId, until: first }), []);
    t.deepEqual(await exportAll(store, { tenantId, since: first }), exported);
    const everyone = await exportAll(store, { tenantId: null, since: first });
    t.true(everyone.length >= exported.length);
  });

  for (const table of ['events', 'audit_log', 'audit_windows', 'audit_seals']) {
    check(
      `${table}: the database refuses to change or delete existing rows`,
      async (t, database) => {
        await prepareRow(database, table);
        const before = (await database.contents())[table];
        t.true((before?.length ?? 0) > 0);
        const change = changeTable(database.url);
        const column = table.startsWith('audit_') && table !== 'audit_log' ? 'hash' : 'actor_id';
        await refused(t, change(`update ${table} set ${column} = 'x'`), /UPDATE of \w+ is refused/);
        await refused(t, change(`delete from ${table}`), /DELETE of \w+ is refused/);
        if (name === 'postgres') {
          await refused(t, change(`truncate ${table}`), /TRUNCATE of \w+ is refused/);
          const replica = `set session_replication_role = replica; delete from ${table}`;
          await refused(t, change(replica), /DELETE of \w+ is refused/);
        }
        t.deepEqual((await database.contents())[table], before);
      },
    );
  }
}

async function refused(t: ExecutionContext, done: Promise<void>, message: RegExp): Promise<void> {
  await t.throwsAsync(done, { message });
}

async function prepareRow({ store, url }: TestStore, table: string): Promise<void> {
  const { tenantId } = await startWithItems(store, [{}]);
  const { ticket } = await claimOne(store, tenantId);
  const { workItemId } = ticket;
  await store.work.settleUnfenced({ workItemId, tenantId, record: null, deadLetter: null });
  const hash = '0'.repeat(64);
  const [from, to] = url.startsWith('sqlite') ? ['0', '1'] : [`'1970-01-01'`, `'1970-01-02'`];
  const change = changeTable(url);
  if (table === 'audit_windows') {
    await change(
      `insert into audit_windows values (1, ${from}, ${to}, '${hash}', '${hash}', ${to})`,
    );
  }
  if (table === 'audit_seals') {
    await change(
      `insert into audit_seals
       values ('${tenantId}', 1, 1, ${from}, ${to}, 1, '[]', '${hash}', '${hash}')`,
    );
  }
}

function placeOf({ createdAt, executionId, sequence, id }: ListedItem) {
  const key = sequence === null || executionId === null ? id : executionId;
  return { createdAt, key, sequence: sequence ?? 0 };
}

function list(store: Store, params: { readonly tenantId: TenantId } & Partial<ListAudit>) {
  return store.audit.list({
    executionId: null,
    actorId: null,
    eventType: null,
    limit: 50,
    offset: 0,
    ...params,
  });
}

/** Exports in small pages. */
async function exportAll(
  store: Store,
  params: {
    readonly tenantId: TenantId | null;
    readonly since?: string;
    readonly until?: string;
  },
): Promise<readonly ExportedItem[]> {
  const found: ExportedItem[] = [];
  let after: ExportPosition | null = null;
  for (;;) {
    const page: readonly ExportedItem[] = await store.audit.export({
      since: null,
      until: null,
      limit: 4,
      ...params,
      after,
    });
    const last = page.at(-1);
    if (last === undefined) return found;
    found.push(...page);
    after = last.position;
  }
}
