import test, { type ExecutionContext } from 'ava';

import { DEFAULT_TENANT } from '../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { connectRaw, countTableReads, waitUntilAlone } from './raw-client.ts';

/* The server counts the reads, so the machine's load does not matter. */

const WAITING = 100_000;
const LONG_LINE = 20_000;
const LINES = 100;
/** A look reads each of its lines a few times, and no others. */
const READS_MAX = 10 * LINES;

test('the start that is due among 100 000 keys is the first of the first look', async (t) => {
  const { url, raw } = await openDatabase(t);
  await raw.query(
    `insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since, due_at,
       first_at, cancels_oldest)
     select gen_random_uuid(), 'default', format('["w","%s"]', lpad(i::text, 6, '0')), 1, 0, now(),
       now() + case when i = ${WAITING} then interval '0 s' else interval '1 hour' end, now(), true
     from generate_series(1, ${WAITING}) as i`,
  );
  const reads = await readsOf({ url, raw }, async ({ flow }) => {
    const { keys } = await flow.listKeys({ limit: LINES, lines: LINES, batchBytesMax: 1_000 });
    t.like(keys[0], { placeKey: `["w","${WAITING}"]`, isDebounced: true, nextTokenMs: 0 });
    t.is(keys.length, LINES);
  });
  t.true(reads < READS_MAX, `a look reads ${reads} rows`);
});

test('the oldest of a long line are found to be surplus without reading the others', async (t) => {
  const { url, raw } = await openDatabase(t);
  await raw.query(
    `with made as (
       insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
         priority, status, last_sequence, created_at, updated_at)
       select gen_random_uuid(), 'default', gen_random_uuid(), 'w', '1', 0, 0, 'running', 1, now(), now()
       from generate_series(1, ${LONG_LINE})
       returning id
     )
     insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since,
       cancels_oldest)
     select id, 'default', '["w","k"]', 1, 0, now(), true
     from made`,
  );
  await raw.query(
    `insert into events (execution_id, sequence, kind, payload, actor_id, created_at)
     select execution_id, 1, 'WorkflowStarted', '{}', 'a', now()
     from flow_waits
     order by seq desc
     limit 1`,
  );
  const reads = await readsOf({ url, raw }, async ({ flow }) => {
    const surplus = await flow.listSurplus({
      tenantId: DEFAULT_TENANT,
      placeKey: '["w","k"]',
      limit: LINES,
    });
    t.is(surplus.length, LINES);
  });
  t.true(reads < READS_MAX, `a list reads ${reads} rows`);
});

/** The server has no statistics, as directly after a burst of starts. */
async function openDatabase(t: ExecutionContext) {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const raw = await connectRaw(database.url);
  t.teardown(() => raw.end());
  await raw.query('alter table flow_waits set (autovacuum_enabled = off)');
  return { url: database.url, raw };
}

/** Rows of waits that a session reads. */
async function readsOf(
  { url, raw }: Awaited<ReturnType<typeof openDatabase>>,
  use: (store: Store) => Promise<void>,
): Promise<number> {
  await waitUntilAlone(raw);
  const before = await countTableReads(raw, 'flow_waits');
  const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
  await use(store);
  await store.close();
  await waitUntilAlone(raw);
  return (await countTableReads(raw, 'flow_waits')) - before;
}
