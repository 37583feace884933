import test from 'ava';
import Database from 'better-sqlite3';

import { SINCE } from '../../../../src/shared/store/sqlite/audit/list.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';

for (const [what, text] of Object.entries(SINCE)) {
  test(`how far a look for ${what} of the audit log reaches is read from indexes alone`, async (t) => {
    const database = await createTestDatabase('sqlite');
    t.teardown(() => database.drop());
    const file = new Database(sqlitePath(database.url));
    t.teardown(() => file.close());
    const steps = file
      .prepare<object[], { readonly detail: string }>(`explain query plan ${text}`)
      .all({ tenant_id: 'busy', until: 10, reach: 10 })
      .map(({ detail }) => detail);
    const searches = steps.filter((step) => /^SEARCH [ae] /.test(step));
    t.is(searches.length, what === 'log' ? 1 : 2);
    t.true(searches.every((step) => /USING COVERING INDEX/.test(step)));
    t.deepEqual(
      steps.filter((step) => /^SCAN (a|e)\b|TEMP B-TREE/.test(step)),
      [],
    );
  });
}
