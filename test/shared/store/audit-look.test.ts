import test, { type ExecutionContext } from 'ava';

import { DEFAULT_TENANT } from '../../../src/shared/domain/ids.ts';
import type {
  AuditLook,
  AuditPlace,
  ListAudit,
  ListedItem,
} from '../../../src/shared/store/audit.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { sealAudit } from '../../api/support/seal-audit.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';
import { commitOne, start } from './contract/drive.ts';
import { makeEvent, makePlan } from './contract/make.ts';

/*
 * A look for matches reads a bounded part of the history, which the seals divide on PostgreSQL. A
 * sealed history belongs to the whole database, so each case has its own.
 */

const EXECUTIONS = 12;
const tenantId = DEFAULT_TENANT;
const FAR: AuditLook = { itemsMax: 1_000, msMax: Number.POSITIVE_INFINITY };

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, store: Store) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const database = await openTestStore(dialect);
      t.teardown(() => database.close());
      await fillHistory(t, database);
      await run(t, database.store);
    });

  check('a look for a rare type ends early, and the cursor continues it', async (t, store) => {
    const filter = { eventType: 'approval_received', limit: 2 };
    const found = await follow(store, { ...filter, look: { ...FAR, itemsMax: 6 } });
    t.deepEqual(
      found.items.map(({ eventType }) => eventType),
      ['approval_received'],
    );
    // The match is the oldest event but one, so the first look found nothing.
    t.is(found.pages[0], 0);
    t.true(found.pages.length > 3);
    t.deepEqual((await follow(store, { ...filter, look: FAR })).pages, [1]);
  });

  check('a look that has taken long ends as well', async (t, store) => {
    const look = { itemsMax: 1_000, msMax: -1 };
    const filter = { eventType: 'approval_received', limit: 1 };
    const found = await follow(store, { ...filter, look });
    t.is(found.items.length, 1);
    t.is(found.pages[0], 0);
  });

  check('pages of bounded looks miss no item and repeat none', async (t, store) => {
    const all = await follow(store, { limit: 1_000, look: FAR });
    t.true(all.items.length > 2 * EXECUTIONS);
    for (const filter of [{}, { eventType: 'node_started' }, { actorId: 'worker:w' }]) {
      const look = { itemsMax: 3, msMax: Number.POSITIVE_INFINITY };
      const { eventType = null, actorId = null } = filter as Partial<ListAudit>;
      t.deepEqual(
        (await follow(store, { ...filter, limit: 2, look })).items,
        all.items.filter(
          (item) =>
            (eventType === null || item.eventType === eventType) &&
            (actorId === null || item.actorId === actorId),
        ),
      );
    }
  });

  check('an offset looks as far as it must', async (t, store) => {
    const page = await store.audit.list({
      ...ALL,
      eventType: 'node_started',
      limit: 2,
      offset: EXECUTIONS - 1,
      look: { itemsMax: 1, msMax: -1 },
    });
    t.is(page.items.length, 1);
    t.is(page.next, null);
  });

  check('a type that no event has is looked for in the log alone', async (t, store) => {
    const filter = { eventType: 'tenant_created', look: { itemsMax: 6, msMax: -1 } };
    const page = await store.audit.list({ ...ALL, ...filter });
    t.deepEqual([page.items.length, page.total, page.totalIsExact], [1, 1, true]);
    t.is(page.next, null);
  });
}

const ALL = { tenantId, executionId: null, actorId: null, eventType: null, limit: 50, offset: 0 };

/** Another item of the log, a rare event, and then many events of one type, two or more a seal. */
async function fillHistory(t: ExecutionContext, database: TestStore): Promise<void> {
  const { store } = database;
  await store.audit.append({
    tenantId,
    executionId: null,
    eventType: 'tenant_created',
    actorId: 'system:cli',
    payload: {},
  });
  const rare = await start(store, { tenantId });
  await commitOne(store, makePlan(rare, { events: [makeEvent({ kind: 'ApprovalReceived' })] }));
  for (let index = 0; index < EXECUTIONS; index += 1) {
    const execution = await start(store, { tenantId });
    const actorId = index % 2 === 0 ? 'worker:w' : 'worker:v';
    await commitOne(store, makePlan(execution, { events: [makeEvent({ actorId })] }));
    await sealAudit(t, database);
  }
}

interface Followed {
  readonly items: readonly ListedItem[];
  /** How many items each page held. */
  readonly pages: readonly number[];
}

async function follow(store: Store, params: Partial<ListAudit>): Promise<Followed> {
  const items: ListedItem[] = [];
  const pages: number[] = [];
  let after: AuditPlace | null = null;
  do {
    const page = await store.audit.list({ ...ALL, ...params, after });
    items.push(...page.items);
    pages.push(page.items.length);
    after = page.next;
  } while (after !== null);
  return { items, pages };
}
