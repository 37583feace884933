import test from 'ava';
import type pg from 'pg';

import type { CommitPlan } from '../../../../../src/shared/store/commit.ts';
import { judgedBatch } from '../../../../../src/shared/store/postgres/commit/batch.ts';
import { JUDGED_FLAGS } from '../../../../../src/shared/store/postgres/commit/parts.ts';
import { judgingStatement } from '../../../../../src/shared/store/postgres/commit/sql.ts';
import type { CommitStatement } from '../../../../../src/shared/store/postgres/commit/statement.ts';
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
  for (const flags of [
    JUDGED_FLAGS,
    ...JUDGED_FLAGS.map((flag) => [flag]),
    ...JUDGED_FLAGS.map((left) => JUDGED_FLAGS.filter((flag) => flag !== left)),
    [],
  ]) {
    const rows = await run(statementWith(flags), []);
    t.deepEqual(rows, [], flags.join());
  }
});

test.serial('the statement with all parts does what a plan needs and no more', async (t) => {
  const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
  const everything = statementWith(JUDGED_FLAGS);
  const created = makePlan(execution, { create: makeNewExecution(), events: [makeEvent()] });
  t.like(await run(everything, [created]), [{ accepted: true, last_sequence: 1 }]);
  const ended = makePlan(execution, {
    status: 'cancelled',
    events: [makeEvent()],
    revokesAll: true,
  });
  t.like(await run(everything, [ended]), [{ accepted: true, last_sequence: 2 }]);
  t.like(await run(everything, [ended]), [{ accepted: false, reason: 'ended' }]);
});

test.serial('the same parts make the same statement', (t) => {
  t.is(statementWith(['creates']), statementWith(['creates']));
  t.not(statementWith(['creates']).name, statementWith([]).name);
});

function statementWith(flags: readonly (typeof JUDGED_FLAGS)[number][]): CommitStatement {
  return judgingStatement((flag) => flags.includes(flag));
}

async function run(statement: CommitStatement, plans: readonly CommitPlan[]): Promise<unknown[]> {
  const batch = judgedBatch(plans);
  const values = statement.columns.map((column) => batch.values(column));
  const { rows } = await client.query<Record<string, unknown>>(statement.text, values);
  return rows;
}
