import test from 'ava';

import { JUDGED_FLAGS } from '../../../../../src/shared/store/postgres/commit/parts.ts';
import { judgingStatement } from '../../../../../src/shared/store/postgres/commit/sql.ts';
import { openTestStore } from '../../../../support/stores.ts';
import { commitOne, judge, start } from '../../contract/drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
} from '../../contract/make.ts';

/* Once there are too many texts, one text with all parts serves commits that need few of them. */

test('the text with all parts takes places of keys, refuses, and changes executions', async (t) => {
  const { store, close } = await openTestStore('postgres');
  t.teardown(close);
  const names = new Set<string>();
  for (const first of JUDGED_FLAGS) {
    for (const second of JUDGED_FLAGS) {
      if (names.size < 66) {
        names.add(judgingStatement((flag) => flag === first || flag === second).name);
      }
    }
  }
  t.is(names.size, 65, 'texts without a bound');
  const takesPlace = { placeKey: '["w","k"]', placesMax: 1 };
  const first = await start(store, { create: { takesPlace } });
  const create = makeNewExecution({ takesPlace });
  const second = { executionId: makeExecutionId(), tenantId: first.tenantId };
  const plan = makePlan(second, { create, events: [makeStarted(create)] });
  t.like(await judge(store, plan), { accepted: false, reason: 'places_taken' });
  const events = [makeEvent({ kind: 'WorkflowCancelled' })];
  await commitOne(store, makePlan(first, { events, status: 'cancelled', revokesAll: true }));
  t.true((await judge(store, plan)).accepted);
});
