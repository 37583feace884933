import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { queue } from '../contract/work/fair-items.ts';
import { connectRaw } from './raw-client.ts';

/* Keys of fairness have exact tags while statements that queue their items run at once. */

const TENANT = 't' as TenantId;
const QUEUE = `${TENANT}/python_tool/default~`;
/** A commit of a hundred items takes as long. */
const HELD_MS = 50;

test('a commit that waits long for another one of its key gives no tag twice', async (t) => {
  const { store, raw } = await open(t);
  await raw.query('begin');
  await raw.query(
    `insert into work_queue (work_item_id, execution_id, tenant_id, node_id, visit, attempt, queue,
       priority, idempotency_key, shard, queue_key, queue_name, tool, enqueued_at)
     select gen_random_uuid(), gen_random_uuid(), '${TENANT}', 'n', 0, 0, 'python_tool', 0, 'k', 0,
       '${QUEUE}', 'default~a~1', 'tool', now()
     from generate_series(1, 3)`,
  );
  const queued = queue(store, TENANT, ['a', 'a', 'a']);
  await untilSomebodyWaits(raw, { forMs: HELD_MS });
  await raw.query('commit');
  await queued;
  const { rows } = await raw.query<{ readonly tags: string; readonly items: string }>(
    'select count(distinct seq) as tags, count(*) as items from work_queue where queue_key = $1',
    [QUEUE],
  );
  t.deepEqual(rows, [{ tags: '6', items: '6' }]);
});

test('commits take the locks of keys in one order', async (t) => {
  const { store, raw } = await open(t);
  await raw.query('begin');
  await raw.query(`select pg_advisory_xact_lock(hashtextextended('${QUEUE}a', 45))`);
  const queued = queue(store, TENANT, ['b', 'a', null, 'c']);
  await untilSomebodyWaits(raw, { forMs: 0 });
  const { rows } = await raw.query<{ readonly is_free: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('${QUEUE}' || k, 45)) as is_free
     from unnest(array['b', 'c']) as k`,
  );
  await raw.query('commit');
  await queued;
  t.deepEqual(rows, [{ is_free: true }, { is_free: true }]);
});

async function open(
  t: ExecutionContext,
): Promise<{ readonly store: Store; readonly raw: pg.Client }> {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const raw = await connectRaw(database.url);
  t.teardown(() => raw.end());
  const store = await openPostgresStore({ url: database.url, poolSize: 1, maxOverflow: 0 });
  t.teardown(() => store.close());
  return { store, raw };
}

/** A commit has waited for a lock of a key for so long: it looks for it once a millisecond. */
async function untilSomebodyWaits(raw: pg.Client, { forMs }: { readonly forMs: number }) {
  await eventually(async () => {
    // A transaction keeps what it has read of other sessions.
    await raw.query('select pg_stat_clear_snapshot()');
    const { rows } = await raw.query(
      `select
       from pg_stat_activity
       where datname = current_database()
         and pid <> pg_backend_pid()
         and wait_event = 'PgSleep'
         and clock_timestamp() > query_start + interval '${forMs} milliseconds'`,
    );
    if (rows.length === 0) throw new Error(`no commit waits for a key for ${forMs} ms`);
  });
}
