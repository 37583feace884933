import test from 'ava';

import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { connectRaw, countTableReads, waitUntilAlone } from './raw-client.ts';

/* The server counts the reads, so the machine's load does not matter. */

const WAITING = 100_000;
const LINES = 100;
/** A look reads each of its lines a few times, and no others. */
const READS_MAX = 10 * LINES;

test('the start that is due among 100 000 keys is the first of the first look', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const raw = await connectRaw(database.url);
  t.teardown(() => raw.end());
  // The server has no statistics, as directly after a burst of starts.
  await raw.query('alter table flow_waits set (autovacuum_enabled = off)');
  await raw.query(
    `insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since, due_at,
       first_at, cancels_oldest)
     select gen_random_uuid(), 'default', lpad(i::text, 6, '0'), 1, 0, now(),
       now() + case when i = ${WAITING} then interval '0 s' else interval '1 hour' end, now(), true
     from generate_series(1, ${WAITING}) as i`,
  );
  await waitUntilAlone(raw);
  const before = await countTableReads(raw, 'flow_waits');
  const store = await openPostgresStore({ url: database.url, poolSize: 1, maxOverflow: 0 });
  const { keys } = await store.flow.listKeys({
    limit: LINES,
    lines: LINES,
    batchBytesMax: 1_000,
  });
  await store.close();
  t.like(keys[0], { placeKey: String(WAITING), isDebounced: true, nextTokenMs: 0 });
  t.is(keys.length, LINES);
  await waitUntilAlone(raw);
  const reads = (await countTableReads(raw, 'flow_waits')) - before;
  t.true(reads < READS_MAX, `a look reads ${reads} rows`);
});
