import test from 'ava';
import type pg from 'pg';

import { gatherCriteria } from '../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../src/shared/domain/execution/query/parse-query.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { GroupedFailures } from '../../../../src/shared/store/readings/failures.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { connectRaw, summarizeEvents, waitUntilAlone } from './raw-client.ts';

/*
 * Lists of approvals, failures and executions due read a bounded part of full tables, with statistics of the server
 * and without. The server counts the reads, so the machine's load does not matter.
 */

const TENANT = 'crowded' as TenantId;
const ROWS = 20_000;
const PAGE = 50;
const FAILURES = 500;
/** No execution is that old. */
const AGE_MS = 20 * 365 * 86_400_000;
const TABLES = [
  'approvals',
  'dead_letters',
  'events',
  'executions',
  'timers',
  'work_items',
  'leases',
  'work_leases',
  'work_queue',
] as const;

interface Reading {
  readonly title: string;
  readonly read: (store: Store) => Promise<readonly unknown[]>;
  readonly rows: number;
  readonly readsMax: number;
}

const page = { tenantId: TENANT, limit: PAGE, workflowId: null, nodeId: null } as const;
const SCAN = {
  tenantId: TENANT,
  workflowId: null,
  status: null,
  olderThanMs: 0,
  defaults: { completed: null, failed: null, cancelled: null },
  ageMsMin: 0,
  after: null,
  limit: 1_000,
};
const READINGS: readonly Reading[] = [
  {
    title: 'open approvals',
    read: (store) => store.approvals.listOpen({ ...page, cursor: null }),
    rows: PAGE,
    readsMax: 10 * PAGE,
  },
  {
    title: 'decided approvals',
    read: (store) => store.approvals.listDecided({ ...page, cursor: null }),
    rows: PAGE,
    readsMax: 10 * PAGE,
  },
  { title: 'dead letters', read: readItems(''), rows: FAILURES, readsMax: 5 * FAILURES },
  {
    title: 'dead letters of one of many workflows',
    read: readItems('workflow = w8'),
    rows: FAILURES,
    readsMax: 5 * FAILURES,
  },
  {
    title: 'dead letters of one of many workflows, page by page',
    read: (store) => store.work.listDeadLetters({ ...page, workflowId: 'w8', before: null }),
    rows: PAGE,
    readsMax: 5 * PAGE,
  },
  {
    title: 'dead letters with an error, of one of many workflows',
    read: readItems('workflow = w8 and error ~ nothing'),
    rows: 0,
    // The bound and the dead letters, of which no execution is read.
    readsMax: 5 * FAILURES,
  },
  {
    title: 'dead letters with an error',
    read: readItems('error ~ nothing'),
    rows: 0,
    readsMax: 5 * FAILURES,
  },
  {
    title: 'dead letters with a label',
    read: readItems('labels.customer = nobody'),
    rows: 0,
    // Half as many are looked through.
    readsMax: 2.5 * FAILURES,
  },
  {
    title: 'dead letters of executions in a status',
    read: readItems('status = cancelled'),
    rows: 0,
    readsMax: 3.5 * FAILURES,
  },
  {
    title: 'leases of a busy tenant',
    read: async (store) => {
      const reading = { tenantId: TENANT, workerId: null, after: null };
      return (await store.workOverview.listLeases({ ...reading, limit: PAGE, within: FAILURES }))
        .leases;
    },
    rows: PAGE,
    readsMax: 2 * FAILURES + 10 * PAGE,
  },
  {
    title: 'leases of a tenant with none',
    read: async (store) => {
      const reading = { tenantId: 'idle' as TenantId, workerId: null, after: null };
      return (await store.workOverview.listLeases({ ...reading, limit: PAGE, within: FAILURES }))
        .leases;
    },
    rows: 0,
    readsMax: 3 * FAILURES,
  },
  {
    title: 'workers, with their leases',
    read: async (store) =>
      (await store.workers.list({ tenantId: TENANT, leasesMax: FAILURES })).workers,
    rows: 1,
    readsMax: 2 * FAILURES,
  },
  {
    title: 'queues',
    read: async (store) => {
      const rowsMax = FAILURES;
      return (await store.workOverview.readQueues({ tenantId: TENANT, rowsMax })).queues;
    },
    rows: 1,
    readsMax: 10 * FAILURES,
  },
  {
    title: 'executions due for retention: all are too young',
    read: async (store) => (await store.retention.scan({ ...SCAN, ageMsMin: AGE_MS })).due,
    rows: 0,
    readsMax: PAGE,
  },
  {
    title: 'executions due for retention: all are of other workflows',
    read: async (store) => (await store.retention.scan({ ...SCAN, workflowId: 'none' })).due,
    rows: 0,
    // Without statistics the server sorts all by age. None has its events or children looked for.
    readsMax: 2 * ROWS + SCAN.limit,
  },
];

/** Looks through twice as many dead letters as it lists, or as many if each costs a search. */
function readItems(query: string): Reading['read'] {
  const criteria = gatherCriteria(parseQuery(query).conditions ?? [], Date.now());
  return async (store) => {
    const bounds = { since: '2026-01-01T00:00:00.000Z', before: null, within: 2 * FAILURES };
    const grouping = { members: FAILURES, byMessage: [] };
    const params = { tenantId: TENANT, criteria, limit: FAILURES, ...bounds, grouping };
    return membersOf(await store.workOverview.groupFailedItems(params));
  };
}

function membersOf({ groups }: GroupedFailures): readonly unknown[] {
  return groups.flatMap(({ latest }) => latest());
}

for (const isAnalyzed of [true, false]) {
  const state = isAnalyzed ? 'with' : 'without';

  test(`lists for people read a bounded part of full tables, ${state} statistics`, async (t) => {
    t.timeout(120_000);
    const database = await createTestDatabase();
    t.teardown(() => database.drop());
    const raw = await connectRaw(database.url);
    t.teardown(() => raw.end());
    await fill(raw);
    await summarizeEvents(raw);
    if (isAnalyzed) await raw.query(`vacuum analyze ${TABLES.join(', ')}`);
    // The server reports what filling has read.
    await countReads(raw);
    for (const { title, read, rows, readsMax } of READINGS) {
      const before = await countReads(raw);
      const store = await openPostgresStore({ url: database.url, poolSize: 1 });
      t.is((await read(store)).length, rows, title);
      await store.close();
      await waitUntilAlone(raw);
      const reads = since(before, await countReads(raw));
      const total = Object.values(reads).reduce((sum, rows) => sum + rows, 0);
      t.true(total <= readsMax, `${title}: ${total} rows were read, ${JSON.stringify(reads)}`);
    }
  });
}

/** Half of the approvals are open, and half of the executions have failed. */
async function fill(raw: pg.Client): Promise<void> {
  for (const table of TABLES) {
    await raw.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  for (const statement of [
    `insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
       priority, status, last_sequence, error, created_at, updated_at, completed_at)
     select gen_random_uuid(), '${TENANT}', gen_random_uuid(), 'w' || n % 50, '1', 0, 0,
       case when n % 2 = 0 then 'failed' else 'paused' end, 2, 'boom', at, at,
       case when n % 2 = 0 then at end
     from generate_series(1, ${2 * ROWS}) n
     cross join lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at) t`,
    `insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
     select e.id, s, case s when 1 then 'ApprovalRequested' else 'ApprovalReceived' end, 'n',
       (case s
         when 1 then '{"visit":0,"description":"d","timeout_ms":null}'
         else '{"visit":0,"decision":"approved","user_id":null,"comment":null}'
       end)::json, 'a', e.created_at
     from executions e, generate_series(1, 2) s
     where e.status = 'paused'`,
    `insert into approvals (execution_id, sequence, tenant_id, node_id, visit, requested_at,
       decided_sequence, decided_at)
     select id, 1, tenant_id, 'n', 0, created_at, case when half then 2 end,
       case when half then created_at end
     from executions, lateral (select extract(minute from created_at)::int % 4 = 1 as half) h
     where status = 'paused'`,
    `insert into dead_letters (work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt,
       error, dead_lettered_at)
     select gen_random_uuid(), id, tenant_id, 'n', 'python_tool', 't', 0, 'e', created_at
     from executions
     where status = 'failed'`,
    `insert into work_queue (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
       priority, idempotency_key, shard, queue_key, tool, enqueued_at)
     select gen_random_uuid(), id, tenant_id, 'n', 0, 0, 'python_tool', 0, 'k', 0,
       tenant_id || '/python_tool', 't', created_at
     from executions`,
    `insert into leases (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue, priority,
       idempotency_key, worker_id, lease_fence, claimed_at, expires_at, look_at)
     select gen_random_uuid(), id, tenant_id, 'n', 0, 0, 'python_tool', 0, 'k', 'w',
       nextval('lease_fence_seq'), created_at, created_at, created_at
     from executions`,
    `insert into workers (worker_id, tenant_id, kind, queue_types, version, host, started_at,
       last_heartbeat)
     values ('w', '${TENANT}', 'tool', '[]', '1', 'h', now(), now())`,
  ]) {
    await raw.query(statement);
  }
}

type ReadsByTable = Readonly<Record<string, number>>;

async function countReads(raw: pg.Client): Promise<ReadsByTable> {
  await raw.query('select pg_stat_force_next_flush()');
  const { rows } = await raw.query<{ readonly table: string; readonly reads: number }>(
    `select relname as table,
       (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as reads
     from pg_stat_user_tables
     where relname = any($1)`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ table, reads }) => [table, reads]));
}

/** Tables of which rows were read since. */
function since(before: ReadsByTable, after: ReadsByTable): ReadsByTable {
  return Object.fromEntries(
    TABLES.flatMap((table) => {
      const reads = (after[table] ?? Number.NaN) - (before[table] ?? Number.NaN);
      return reads === 0 ? [] : [[table, reads]];
    }),
  );
}
