import test from 'ava';
import type pg from 'pg';

import { encodePlans, type Batch } from '../../../../../src/shared/store/postgres/commit/batch.ts';
import type { Cell } from '../../../../../src/shared/store/postgres/commit/parameter.ts';
import { SECTIONS } from '../../../../../src/shared/store/postgres/commit/parts.ts';
import {
  commitStatement,
  type CommitStatement,
} from '../../../../../src/shared/store/postgres/commit/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/database.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeTenantId,
} from '../../contract/make.ts';
import { connectRaw } from '../raw-client.ts';

let database: TestDatabase;
let client: pg.Client;

test.before(async () => {
  database = await createTestDatabase();
  client = await connectRaw(database.url);
});

test.after.always(async () => {
  await client.end();
  await database.drop();
});

test.serial('the statement is valid with each part alone, without each and with all', async (t) => {
  for (const sections of [
    SECTIONS,
    ...SECTIONS.map((section) => [section]),
    ...SECTIONS.map((left) => SECTIONS.filter((section) => section !== left)),
    [],
  ]) {
    const rows = await run(commitStatement(batchWith(sections)), encodePlans([]));
    t.deepEqual(rows, [], sections.join());
  }
});

test.serial('the statement with all parts does what a plan needs and no more', async (t) => {
  const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
  const everything = commitStatement(batchWith(SECTIONS));
  const created = makePlan(execution, { create: makeNewExecution(), events: [makeEvent()] });
  t.like(await run(everything, encodePlans([created])), [{ accepted: true, last_sequence: 1 }]);
  const ended = makePlan(execution, {
    status: 'cancelled',
    events: [makeEvent()],
    revokesAll: true,
  });
  t.like(await run(everything, encodePlans([ended])), [{ accepted: true, last_sequence: 2 }]);
  t.like(await run(everything, encodePlans([ended])), [{ accepted: false, reason: 'ended' }]);
});

test.serial('the same parts make the same statement', (t) => {
  t.is(commitStatement(batchWith(['new_plan'])), commitStatement(batchWith(['new_plan'])));
  t.not(commitStatement(batchWith(['new_plan'])).name, commitStatement(batchWith([])).name);
});

function batchWith(sections: readonly (typeof SECTIONS)[number][]): Batch {
  const some: readonly Cell[] = [0];
  return { ...encodePlans([]), ...Object.fromEntries(sections.map((name) => [name, some])) };
}

async function run(statement: CommitStatement, batch: Batch): Promise<unknown[]> {
  const values = statement.columns.map((column) => batch[column]);
  const { rows } = await client.query<Record<string, unknown>>(statement.text, values);
  return rows;
}
