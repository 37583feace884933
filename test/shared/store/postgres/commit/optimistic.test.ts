import test from 'ava';
import type pg from 'pg';

import { needsNoJudgement } from '../../../../../src/shared/store/postgres/commit/optimistic/commit.ts';
import {
  OPTIMISTIC_FLAGS,
  type OptimisticFlag,
} from '../../../../../src/shared/store/postgres/commit/optimistic/parts.ts';
import { optimisticStatement } from '../../../../../src/shared/store/postgres/commit/optimistic/sql.ts';
import { toUuid } from '../../../../../src/shared/store/postgres/rows.ts';
import { openTestStore, type TestStore } from '../../../../support/stores.ts';
import { commitOne, start, type Started } from '../../contract/drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeTenantId,
} from '../../contract/make.ts';
import { connectRaw } from '../raw-client.ts';

let database: TestStore;
let client: pg.Client;

test.before(async () => {
  database = await openTestStore('postgres');
  client = await connectRaw(database.url);
});

test.after.always(async () => {
  await client.end();
  await database.close();
});

test.serial(
  'when there are too many texts, the one that serves appends as any other',
  async (t) => {
    const names = useUpTexts();
    const { store } = database;
    for (const expectedSequence of [3, null]) {
      const execution = await start(store);
      const events = [makeEvent(), makeEvent()];
      await commitOne(store, makePlan(execution, { expectedSequence: 1, events }));
      const end = makePlan(execution, { expectedSequence, events, status: 'completed' });
      t.is((await commitOne(store, end)).lastSequence, 5);
      t.deepEqual(await sequencesOf(execution), [1, 2, 3, 4, 5]);
    }
    t.true(names.size < 70, 'texts without a bound');
  },
);

test('a start under an id of its caller needs no judgement', (t) => {
  const execution = { executionId: makeExecutionId(), tenantId: makeTenantId() };
  const started = { create: makeNewExecution({ isDerived: true }), events: [makeEvent()] };
  t.true(needsNoJudgement(makePlan(execution, started)));
  t.false(needsNoJudgement(makePlan(execution, { ...started, snapshot: '{}' })));
});

/** Requests a text for each possible set of flags, and returns the names of the created ones. */
function useUpTexts(): ReadonlySet<string> {
  const names = new Set<string>();
  // Begins with the last set, because the store never requests one of these.
  for (let bits = 2 ** OPTIMISTIC_FLAGS.length - 1; names.size < 66 && bits > 0; bits -= 1) {
    names.add(optimisticStatement((flag) => has(bits, flag)).name);
  }
  return names;
}

function has(bits: number, flag: OptimisticFlag): boolean {
  return (bits & (1 << OPTIMISTIC_FLAGS.indexOf(flag))) !== 0;
}

async function sequencesOf({ executionId }: Started): Promise<readonly number[]> {
  const { rows } = await client.query<{ readonly sequence: number }>(
    'select sequence from events where execution_id = $1 order by sequence',
    [toUuid(executionId)],
  );
  return rows.map(({ sequence }) => sequence);
}
