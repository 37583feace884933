import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { ClaimRequest } from '../../../../src/shared/store/store.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { claim } from '../contract/drive.ts';
import { connectRaw, waitUntilAlone } from './raw-client.ts';

/*
 * A claim reads about as much as it returns, independently of other waiting items: here 100 000
 * items of 1 000 other tools. The server counts the reads, so the machine's load does not matter.
 */

const TOOLS = 1_000;
const ITEMS_EACH = 100;
const TENANT = 'crowded' as TenantId;
const CLAIMS = 20;
/**
 * Claimed rows stay in the index while any transaction on the server may see them. A claim skips
 * the rows of all earlier claims, in two lookups.
 */
const PASSED_OVER_MAX = 2 * 5 * CLAIMS;

test('a claim for one tool walks over no items of others', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const { url } = database;
  const raw = await connectRaw(url);
  t.teardown(() => raw.end());
  await raw.query(
    `with item as (
       select gen_random_uuid() as id, n,
         case when n <= 1000 then 'mine.f' else 'other' || n % ${TOOLS} || '.f' end as tool
       from generate_series(${TOOLS * ITEMS_EACH}, 1, -1) as n
     ),
     described as (
       insert into work_items (work_item_id, execution_id, tenant_id, node_id, visit, queue,
         idempotency_key, tool, payload, retry_policy, heartbeat_interval_ms, created_at)
       select id, id, '${TENANT}', 'n', 0, 'python_tool', id, tool, '{}', '{}', 1, now()
       from item
     )
     insert into work_queue (work_item_id, queue_key, tool, shard, execution_id, tenant_id, node_id,
       visit, attempt, queue, priority, idempotency_key, enqueued_at)
     select id, '${TENANT}/python_tool', tool, 0, id, '${TENANT}', 'n', 0, 0, 'python_tool', 0, id,
       now()
     from item
     order by n desc`,
  );
  await raw.query('vacuum analyze work_queue, work_items');

  const reads = async (of: Partial<ClaimRequest>): Promise<number> => {
    // A new store prepares its plans again, like a process that has just started.
    const store = await openPostgresStore({ url, poolSize: 1, maxOverflow: 0 });
    const before = await countReads();
    for (let n = 0; n < CLAIMS; n += 1) {
      t.is((await claim(store, TENANT, { limit: 1, ...of })).length, 1);
    }
    await store.close();
    return ((await countReads()) - before) / CLAIMS;
  };
  async function countReads(): Promise<number> {
    await waitUntilAlone(raw);
    await raw.query('select pg_stat_force_next_flush()');
    const { rows } = await raw.query<{ readonly reads: number }>(
      `select (t.seq_tup_read + sum(i.idx_tup_read))::float8 as reads
       from pg_stat_user_tables t
       join pg_stat_user_indexes i on i.relid = t.relid
       where t.relname = 'work_queue'
       group by t.relid, t.seq_tup_read`,
    );
    return rows[0]?.reads ?? Number.NaN;
  }

  const all = await reads({});
  const one = await reads({ tools: ['mine.f'] });
  const prefix = await reads({ tools: ['mine.*'] });
  const three = await reads({ tools: ['mine.f', 'no.such', 'none.*'] });
  const everywhere = await reads({ tools: ['*.f'] });
  t.log(
    `index entries read a claim: unfiltered ${all}, one tool ${one}, prefix ${prefix}, ` +
      `several ${three}, every tool by a glob ${everywhere}`,
  );
  t.true(one <= all + PASSED_OVER_MAX, `${one} and ${all}`);
  t.true(prefix <= all + PASSED_OVER_MAX, `${prefix} and ${all}`);
  // Plus spare candidates in case others take some, as for a claim on several queues.
  t.true(three <= 250 + PASSED_OVER_MAX, String(three));
  // A glob without a prefix costs one or two lookups per waiting tool, not per item.
  t.true(everywhere <= 5 * TOOLS);
});
