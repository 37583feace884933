import test from 'ava';

import {
  type ExecutionCriteria,
  gatherCriteria,
} from '../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../src/shared/domain/execution/query/parse-query.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { connectRaw, vacuumWhole, waitUntilAlone } from './raw-client.ts';

/*
 * A search reads a bounded part of a full table, with statistics of the server and without. The
 * server counts the reads, so the machine's load does not matter.
 */

const TENANT = 'crowded' as TenantId;
const ROWS = 60_000;
const WITHIN = 2_000;
/** The bound and the page each read so many index entries and rows. */
const READS_MAX = 4 * WITHIN;

const QUERIES = [
  'labels.half = a',
  'labels.half = a and status = running',
  'labels.half = b and labels.customer = none',
  'labels.half = a and labels.customer = c7 and labels.kind != none and status = paused',
  'labels.half = a and labels.kind = 3',
  'status in (paused, failed)',
  'labels.customer != none and status = failed',
  'labels.customer ~ none',
  '',
  'status = failed',
  'status = running and workflow = w7',
  'status = completed and workflow = w7',
  'status = completed and version = none',
  'status != completed',
  'workflow = w7 and error ~ nothing',
  'workflow ~ nothing',
  'error ~ nothing and started > 2026-01-02',
  'error_class = Nothing',
  'error_class in (Nothing, None) and workflow = w7',
  'error_class = Nothing and labels.half = a',
  'ended > now',
  `id = exec_${'0'.repeat(32)}`,
  `parent = exec_${'0'.repeat(32)} and version != "1"`,
];

const COUNTING = {
  within: { entries: WITHIN, rows: WITHIN },
  by: null,
  from: null,
  to: '2027-01-01T00:00:00.000Z',
  buckets: 10,
};
const COUNTED_BY_ENTRIES = [
  '',
  'status = failed',
  'status = completed',
  'status != completed',
  'started > 2026-01-02',
];
/** A status has up to 600 pages of its index: a count reads those of the bound twice, and begins 50 times. */
const COUNT_PAGES_MAX = 250;
/** The executions of a page and the one that follows, and none beside. */
const BY_LABELS = [
  ['labels.half = a and labels.kind = 2', 51],
  ['labels.half = a and labels.kind = 3', 0],
  ['labels.half = a and labels.customer = none', 0],
  ['labels.half = a and labels.customer in (c1, c2) and labels.kind != 3', 51],
] as const;

/** Labels would take two pages for each. */
const FAILED = 500;

type Ask = (store: Pick<Store, 'executionSearch'>, criteria: ExecutionCriteria) => Promise<unknown>;

interface Cost {
  /** Executions that were read. */
  readonly rows: number;
  /** Pages of indexes. */
  readonly pages: number;
}

for (const isAnalyzed of [true, false]) {
  const state = isAnalyzed ? 'with' : 'without';

  test(`a search reads a bounded part of a full table, ${state} statistics`, async (t) => {
    const database = await createTestDatabase();
    t.teardown(() => database.drop());
    const raw = await connectRaw(database.url);
    t.teardown(() => raw.end());
    await raw.query('alter table executions set (autovacuum_enabled = off)');
    await raw.query(
      `insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
         priority, status, last_sequence, error, created_at, updated_at, completed_at)
       select gen_random_uuid(), '${TENANT}', gen_random_uuid(), 'w' || n % 50, '1', 0, 0,
         case when n % 10 = 0 then 'failed' when n % 10 = 1 then 'running' else 'completed' end,
         1, case when n % 10 = 0 then 'boom' end, at, at, case when n % 10 <> 1 then at end
       from generate_series(1, ${ROWS}) n
       cross join lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at) t`,
    );
    await raw.query('alter table execution_labels set (autovacuum_enabled = off)');
    await raw.query(
      `insert into execution_labels (execution_id, name, value, tenant_id, created_at)
       select id, name, value, tenant_id, created_at
       from executions
       cross join lateral (
         values ('half', case when extract(minute from created_at)::int % 2 = 0 then 'a' else 'b' end),
           ('customer', 'c' || extract(hour from created_at)),
           ('kind', extract(minute from created_at)::int % 4 || '')
       ) l (name, value)`,
    );
    if (isAnalyzed) {
      await raw.query('analyze executions, execution_labels');
      await vacuumWhole(raw, ['executions', 'execution_labels']);
    }
    const readsOf = async (query: string): Promise<number> => {
      const { conditions, problems } = parseQuery(query);
      if (problems !== null) throw new Error(problems[0]?.message);
      const criteria = gatherCriteria(conditions, Date.now());
      const store = await openPostgresStore({ url: database.url, poolSize: 1 });
      const before = await countReads();
      const own = { tenantId: TENANT, criteria, within: WITHIN };
      const { next } = await store.executionSearch.search({ ...own, cursor: null, limit: 50 });
      await store.executionSearch.search({ ...own, cursor: next, limit: 50 });
      await store.executionSearch.count({ ...own, ...COUNTING });
      await store.close();
      await waitUntilAlone(raw);
      return (await countReads()) - before;
    };
    const costOf = async (query: string, ask: Ask): Promise<Cost> => {
      const { conditions } = parseQuery(query);
      const criteria = gatherCriteria(conditions ?? [], Date.now());
      const store = await openPostgresStore({ url: database.url, poolSize: 1 });
      const before = await readCost();
      await ask(store, criteria);
      await store.close();
      await waitUntilAlone(raw);
      const after = await readCost();
      return { rows: after.rows - before.rows, pages: after.pages - before.pages };
    };
    const readCost = async (): Promise<Cost> => {
      await raw.query('select pg_stat_force_next_flush()');
      const { rows } = await raw.query<Cost>(
        `select t.seq_tup_read + t.idx_tup_fetch as rows, i.pages
         from (
           select sum(seq_tup_read)::float8 as seq_tup_read, sum(idx_tup_fetch)::float8 as idx_tup_fetch
           from pg_stat_user_tables
           where relname = 'executions'
         ) t
         cross join (
           select sum(idx_blks_hit + idx_blks_read)::float8 as pages
           from pg_statio_user_indexes
           where relname in ('executions', 'execution_labels')
         ) i`,
      );
      return rows[0] ?? { rows: Number.NaN, pages: Number.NaN };
    };
    const countReads = async (): Promise<number> => {
      await raw.query('select pg_stat_force_next_flush()');
      const { rows } = await raw.query<{ readonly reads: number }>(
        `select sum(seq_tup_read + idx_tup_fetch)::float8 as reads
         from pg_stat_user_tables
         where relname in ('executions', 'execution_labels')`,
      );
      return rows[0]?.reads ?? Number.NaN;
    };
    await countReads();
    for (const query of QUERIES) {
      const reads = await readsOf(query);
      t.true(reads < 3 * READS_MAX, `${query}: ${reads} rows were read`);
    }
    if (!isAnalyzed) return;
    for (const query of COUNTED_BY_ENTRIES) {
      const { rows, pages } = await costOf(query, (store, criteria) =>
        store.executionSearch.count({ tenantId: TENANT, criteria, ...COUNTING }),
      );
      t.is(rows, 0, `${query}: counted by index entries alone`);
      t.true(pages < COUNT_PAGES_MAX, `${query}: ${pages} pages of indexes were read`);
    }
    for (const [query, found] of BY_LABELS) {
      const { rows } = await costOf(query, (store, criteria) =>
        store.executionSearch.search({
          tenantId: TENANT,
          criteria,
          within: WITHIN,
          cursor: null,
          limit: 50,
        }),
      );
      t.is(rows, found, `${query}: executions are read if they have all labels`);
    }
    const byClass = await costOf('error_class = Nothing', (store, criteria) => {
      const own = { tenantId: TENANT, criteria, within: WITHIN };
      return store.executionSearch.search({ ...own, cursor: null, limit: 50 });
    });
    // Those that failed alone: the last of them comes twice.
    t.true(byClass.rows <= WITHIN + 1, `error_class: ${byClass.rows} executions were read`);
    const failed = await costOf('status = failed', async (store, criteria) => {
      const grouping = { members: 1, byMessage: [] };
      const reading = { tenantId: TENANT, criteria, within: WITHIN, limit: FAILED, grouping };
      const { groups } = await store.executionSearch.groupFailed(reading);
      t.is(
        groups.reduce((sum, { count: own }) => sum + own, 0),
        FAILED,
      );
    });
    t.is(failed.rows, FAILED);
    t.true(failed.pages < FAILED / 10, `failures: ${failed.pages} pages of indexes were read`);
  });
}
