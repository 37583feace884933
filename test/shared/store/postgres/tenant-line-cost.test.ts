import test from 'ava';
import type pg from 'pg';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { connectRaw, countTableReads, vacuumWhole, waitUntilAlone } from './raw-client.ts';

/* A look at the line of a full tenant reads few rows, however many executions wait for it or for their keys. */

const TENANT = 'crowded' as TenantId;
const PLACES = 10;
const WAITING = 10_000;
const READS_MAX = 1_000;
const TABLES = ['child_places', 'executions', 'flow_waits'] as const;

for (const isAnalyzed of [true, false]) {
  const state = isAnalyzed ? 'with' : 'without';

  test(`a look at the line of a full tenant does not read it, ${state} statistics`, async (t) => {
    const database = await createTestDatabase();
    t.teardown(() => database.drop());
    const raw = await connectRaw(database.url);
    t.teardown(() => raw.end());
    for (const table of TABLES) {
      await raw.query(`alter table ${table} set (autovacuum_enabled = off)`);
    }
    await fill(raw);
    if (isAnalyzed) await raw.query('analyze');
    const look = async (): Promise<number> => {
      await waitUntilAlone(raw);
      const before = await countReads(raw);
      const store = await openPostgresStore({ url: database.url, poolSize: 1, maxOverflow: 0 });
      t.deepEqual(await store.places.admit({ tenantId: TENANT, limit: 200 }), []);
      await store.close();
      await waitUntilAlone(raw);
      return (await countReads(raw)) - before;
    };
    // The first lists those that wait for their keys, and leaves old versions of their rows.
    await look();
    await vacuumWhole(raw, ['flow_waits']);
    const reads = await look();
    t.true(reads < READS_MAX, `a look reads ${reads} rows`);
  });
}

/** The places are taken, a parent has lent its own, and its other children, starts and keys wait. */
async function fill(raw: pg.Client): Promise<void> {
  const insert = (count: number, age: string) => `
    insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
      priority, status, last_sequence, created_at, updated_at)
    select gen_random_uuid(), '${TENANT}', gen_random_uuid(), 'w', '1', 0, 0, 'running', 1,
      now() - interval '${age}' + i * interval '1 ms', now()
    from generate_series(1, ${count}) i
    returning id`;
  const limits = JSON.stringify({ max_concurrent_executions: PLACES, when_full: 'queue' });
  await raw.query(
    `insert into tenants (id, name, status, limits, created_at, updated_at)
     values ('${TENANT}', 'crowded', 'active', '${limits}', now(), now())`,
  );
  await raw.query(insert(PLACES, '3 hours'));
  const line = (parent: string, state: string) => `
    insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
    select id, '${TENANT}', ${parent}, 0, '${state}', now()
    from made`;
  const parent = `'00000000-0000-7000-8000-000000000001'::uuid`;
  for (const [count, ofParent, state] of [
    [1, parent, 'lent'],
    [WAITING, parent, 'waiting'],
    [WAITING, 'null', 'waiting'],
  ] as const) {
    await raw.query(`with made as (${insert(count, '2 hours')}) ${line(ofParent, state)}`);
  }
  await raw.query(
    `with made as (${insert(WAITING, '1 hour')})
     insert into flow_waits (execution_id, tenant_id, place_key, places_max, shard, since)
     select id, '${TENANT}', 'k', 1, 0, now()
     from made`,
  );
}

async function countReads(raw: pg.Client): Promise<number> {
  let reads = 0;
  for (const table of TABLES) reads += await countTableReads(raw, table);
  return reads;
}
