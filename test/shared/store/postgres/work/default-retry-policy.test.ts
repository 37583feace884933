import test from 'ava';

import { DEFAULT_RETRY_POLICY } from '../../../../../src/shared/domain/work/retry.ts';
import { runOnServer } from '../../../../support/database.ts';
import { openTestStore } from '../../../../support/stores.ts';
import { claimOne, startWithItems } from '../../contract/drive.ts';

test('an item without a retry policy has the default one, for claims and look-ups', async (t) => {
  const { store, url, close } = await openTestStore('postgres');
  t.teardown(close);
  const { tenantId } = await startWithItems(store, [{}]);
  // A later version leaves the policy out.
  await runOnServer(
    url,
    `alter table work_items disable trigger refuse_change;
     update work_items set retry_policy = null`,
  );
  const claimed = await claimOne(store, tenantId);
  t.deepEqual(claimed.record?.retryPolicy, DEFAULT_RETRY_POLICY);
  const found = await store.work.find(claimed.ticket.workItemId, tenantId);
  t.deepEqual(found?.record.retryPolicy, DEFAULT_RETRY_POLICY);
});
