import test from 'ava';
import Database from 'better-sqlite3';

import {
  COUNT_TAKEN,
  FIND_BORROWING,
  FORGET_LENT,
  LIST_LATER,
  NOTE_LISTED,
} from '../../../../src/shared/store/sqlite/scheduling/places.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { sqlitePath } from '../../../support/stores.ts';

/* A look at the line of a tenant follows indexes of those that it may change. */

test('a look at the line of a tenant walks over no table, and sorts nothing', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const file = new Database(sqlitePath(database.url));
  t.teardown(() => file.close());
  const stepsOf = (text: string) =>
    file
      .prepare<object[], { readonly detail: string }>(`explain query plan ${text}`)
      .all({ tenant_id: 'busy', ...(text.includes(':limit') && { limit: 10 }) })
      .map(({ detail }) => detail);
  for (const [text, index] of [
    [LIST_LATER, 'flow_waits_not_in_line'],
    [NOTE_LISTED, 'flow_waits_not_in_line'],
    [FORGET_LENT, 'child_places_lent_of_tenant'],
    [FIND_BORROWING, 'child_places_borrowing'],
    [COUNT_TAKEN, 'executions_by_status'],
  ] as const) {
    const steps = stepsOf(text);
    t.true(
      steps.some((step) => new RegExp(`^SEARCH .*INDEX ${index}`).test(step)),
      steps.join('\n'),
    );
    t.deepEqual(
      steps.filter((step) =>
        /^SCAN (?:child_places|flow_waits|executions|c|e|l|o)\b|TEMP B-TREE/.test(step),
      ),
      [],
      steps.join('\n'),
    );
  }
});
