import { createClient, type SvcClient } from 'svc-sdk/client';

import { onBothStores, type Place } from '../../support/both-stores.ts';
import type { TestTenant } from '../../support/tenant.ts';

/* Counts of executions and groups of failures, by the client against the real service. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f', retry_policy: { max_attempts: 1 } };

const clientOf = ({ runtime }: Place, { tenantId }: TestTenant): SvcClient =>
  createClient({ url: runtime.url, token: runtime.apiKey, tenantId });

check('executions are counted by group', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: { kind: 'pass' } } });
  for (const customer of ['acme', 'acme', 'brown']) {
    await client.start('w', {}, { labels: { customer } });
  }
  await client.start('w', {});
  const { groups } = await client.executions.counts({ group_by: 'labels.customer' });
  t.deepEqual(groups, [
    { value: 'acme', count: 2 },
    { value: 'brown', count: 1 },
    { value: null, count: 1 },
  ]);
  t.is((await client.executions.counts()).groups, undefined);
});

check('groups of failures are found by a query, and come page by page', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: call } });
  for (const error of ['card 17 is refused', 'card 4711 is refused', 'the bank timed out']) {
    const handle = await client.start('w', {});
    await svc.breakDown('a', { error });
    await svc.until(handle.id, 'failed');
  }
  const counts = await countAll(client.work.failureGroups({ limit: 1 }));
  t.deepEqual(counts, [2, 2, 1, 1]);
  const { groups, next_cursor: next } = await client.work.failures({ q: 'error ~ timed' });
  t.deepEqual(groups.map(({ cause }) => cause).toSorted(), [
    'node a failed: the bank timed out',
    'the bank timed out',
  ]);
  t.is(next, null);
});

async function countAll(groups: AsyncIterable<{ readonly count: number }>): Promise<number[]> {
  const counts: number[] = [];
  for await (const { count } of groups) counts.push(count);
  return counts;
}
