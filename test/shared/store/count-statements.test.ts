import test, { type ExecutionContext } from 'ava';

import { gatherCriteria } from '../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../src/shared/domain/execution/query/parse-query.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import type { ExecutionSearch } from '../../../src/shared/store/executions.ts';
import { connectPool } from '../../../src/shared/store/postgres/connection/connect.ts';
import { createServerFinder } from '../../../src/shared/store/postgres/connection/server-finder.ts';
import { createExecutionSearch } from '../../../src/shared/store/postgres/executions/search-executions.ts';
import { openSqliteStore } from '../../../src/shared/store/sqlite/open.ts';
import { createTestDatabase, type Dialect } from '../../support/database.ts';
import { sqlitePath } from '../../support/stores.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;

for (const dialect of DIALECTS) {
  test(`values beside a count look for the rarest label no second time (${dialect})`, async (t) => {
    const { search, statements } = await openCounting(t, dialect);
    const { conditions } = parseQuery('labels.customer = acme and labels.tier = gold');
    const statementsWith = async (by: 'tier' | null) => {
      const before = statements();
      await search.count({
        tenantId: 'acme' as TenantId,
        criteria: gatherCriteria(conditions ?? [], 0),
        within: { entries: 100, rows: 100 },
        by: by && { key: { field: 'labels', label: by }, limit: 10 },
        from: null,
        to: '2027-01-01T00:00:00.000Z',
        buckets: 4,
      });
      return statements() - before;
    };
    const alone = await statementsWith(null);
    t.true(alone > 1, 'it looks for the rarest label');
    t.is(await statementsWith('tier'), alone + 1);
  });
}

interface Counting {
  readonly search: ExecutionSearch;
  /** How many there were so far. */
  readonly statements: () => number;
}

async function openCounting(t: ExecutionContext, dialect: Dialect): Promise<Counting> {
  const database = await createTestDatabase(dialect);
  const { url } = database;
  let count = 0;
  const statements = () => count;
  if (dialect === 'sqlite') {
    const path = sqlitePath(url);
    const store = await openSqliteStore({ path, onStatement: () => void (count += 1) });
    t.teardown(async () => {
      await store.close();
      await database.drop();
    });
    return { search: store.executionSearch, statements };
  }
  const pool = connectPool({
    servers: createServerFinder({ url, connectTimeoutMs: 5_000 }),
    min: 1,
    max: 1,
    applicationName: 'svc-counts',
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    onBackgroundError: () => undefined,
  });
  t.teardown(async () => {
    await pool.close();
    await database.drop();
  });
  const search = createExecutionSearch({
    ...pool,
    run(...given) {
      count += 1;
      return pool.run(...given);
    },
  });
  return { search, statements };
}
