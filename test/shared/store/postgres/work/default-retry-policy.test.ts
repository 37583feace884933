import test from 'ava';

import {
  BUILT_IN_RETRY_POLICIES,
  DEFAULT_RETRY_POLICY,
  type RetryPolicy,
} from '../../../../../src/shared/domain/work/retry.ts';
import { runOnServer } from '../../../../support/database.ts';
import { openTestStore } from '../../../../support/stores.ts';
import { claimOne, commitOne, start } from '../../contract/drive.ts';
import { makeItem, makePlan, makeTicket } from '../../contract/make.ts';

const NO_RETRY = BUILT_IN_RETRY_POLICIES['no_retry'] ?? DEFAULT_RETRY_POLICY;

const cases: readonly (readonly [string, RetryPolicy, unknown])[] = [
  ['the default retry policy is not stored', DEFAULT_RETRY_POLICY, null],
  ['another retry policy is stored', NO_RETRY, NO_RETRY],
];
for (const [name, policy, stored] of cases) {
  test(`${name}, and is read by claims and look-ups`, async (t) => {
    const { store, url, close } = await openTestStore('postgres');
    t.teardown(close);
    const execution = await start(store);
    const { ticket, record } = makeItem(makeTicket(execution, {}));
    if (record === null) throw new Error('the item is none of a worker');
    const newItems = [{ ticket, record: { ...record, retryPolicy: policy } }];
    await commitOne(store, makePlan(execution, { newItems }));
    const { rows } = await runOnServer(url, 'select retry_policy from work_items');
    t.deepEqual(rows, [{ retry_policy: stored }]);
    const claimed = await claimOne(store, execution.tenantId);
    t.deepEqual(claimed.record?.retryPolicy, policy);
    const found = await store.work.find(claimed.ticket.workItemId, execution.tenantId);
    t.deepEqual(found?.record.retryPolicy, policy);
  });
}
