import test from 'ava';

import { gatherCriteria } from '../../../../src/shared/domain/execution/query/criteria.ts';
import { parseQuery } from '../../../../src/shared/domain/execution/query/parse-query.ts';
import {
  connectPool,
  type PostgresPool,
} from '../../../../src/shared/store/postgres/connection/connect.ts';
import { createServerFinder } from '../../../../src/shared/store/postgres/connection/server-finder.ts';
import { createExecutionSearch } from '../../../../src/shared/store/postgres/executions/search-executions.ts';
import type { ExecutionPlace } from '../../../../src/shared/store/executions.ts';
import { openTestStore } from '../../../support/stores.ts';
import { start } from '../contract/drive.ts';
import { makeTenantId } from '../contract/make.ts';

/* A page is read after its bound, and executions may start in between. */

const WITHIN = 10;

for (const query of ['labels.a = x and labels.b ~ y', 'labels.a ~ x and labels.b ~ y']) {
  test(`pages miss nothing while executions start: ${query}`, async (t) => {
    const on = await openTestStore('postgres');
    t.teardown(on.close);
    const tenantId = makeTenantId();
    const add = (b: string) => start(on.store, { tenantId, create: { labels: { a: 'x', b } } });
    const fitting = await add('y');
    for (let other = 0; other < 3; other += 1) await add('n');
    const timeouts = { connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 };
    const pool = connectPool({
      ...timeouts,
      servers: createServerFinder({ url: on.url, connectTimeoutMs: 5_000 }),
      applicationName: 'test',
      onBackgroundError: () => undefined,
      min: 0,
      max: 2,
      changesTenants: true,
    });
    t.teardown(() => pool.close());
    let bounds = 0;
    const run: PostgresPool['run'] = async (statement, values, tenant) => {
      const rows = await pool.run<never>(statement, values, tenant);
      // This statement reads a bound, and the page follows.
      if (statement.text.includes('offset') && !statement.text.includes('listed_at')) {
        bounds += 1;
        if (bounds < 3) for (let other = 0; other < 5; other += 1) await add('n');
      }
      return rows;
    };
    const search = createExecutionSearch({ ...pool, run });
    const { conditions } = parseQuery(query);
    if (conditions === null) return t.fail('the query is not one');
    const criteria = gatherCriteria(conditions, Date.now());
    const found: string[] = [];
    let cursor: ExecutionPlace | null = null;
    do {
      const page = await search.search({ tenantId, criteria, cursor, limit: 10, within: WITHIN });
      found.push(...page.rows.map(({ executionId }) => executionId));
      cursor = page.next;
    } while (cursor !== null);
    t.true(bounds >= 1);
    t.deepEqual(found, [fitting.executionId]);
  });
}
