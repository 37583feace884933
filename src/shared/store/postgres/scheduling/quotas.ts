import type { WorkItemId } from '../../../domain/ids.ts';
import type { QuotaStore } from '../../quotas.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

export function createQuotaStore(pool: PostgresPool): QuotaStore {
  return {
    async listWaiting({ after, limit }) {
      const rows = await pool.run<{ readonly queue_key: string }>(LIST_WAITING, [
        after ?? '',
        limit,
      ]);
      return rows.map((row) => row.queue_key);
    },

    async admit({ waiting, served, quota, limit }, { atMost }) {
      const rows = await pool.run<{ readonly id: WorkItemId }>(ADMIT, [
        waiting,
        served,
        quota,
        limit,
        atMost,
      ]);
      return rows.map(({ id }) => id);
    },

    async admitAtRate({ waiting, served, quota, limit, bucket }, { atMost }) {
      const { key, intervalUs, burst } = bucket;
      const [row] = await pool.run<{
        readonly admitted: string;
        readonly next_us: number;
      }>(ADMIT_AT_RATE, [waiting, served, quota, limit, atMost, key, intervalUs, burst]);
      if (row === undefined) throw new TypeError('an admission answers with a row');
      const admitted = JSON.parse(row.admitted) as readonly WorkItemId[];
      return { admitted, nextTokenMs: row.next_us / 1_000 };
    },
  };
}

/** From one queue to the next by the index, however many items wait on each. */
const LIST_WAITING: Statement = {
  name: 'list-quota-queues',
  writes: false,
  text: `
    with recursive waiting as (
      select $1::text as queue_key
      union all
      select (
        select q.queue_key
        from work_queue q
        where q.queue_name is not null
          and strpos(q.queue_key, '#') > 0
          and q.queue_key > w.queue_key
        order by q.queue_key
        limit 1
      )
      from waiting w
      where w.queue_key is not null
    )
    select w.queue_key
    from waiting w
    where w.queue_key > $1
    limit $2`,
};

const ADMIT: Statement = {
  name: 'admit-quota',
  writes: true,
  text: `
    select a.admitted_id as id
    from admit_quota($1::text, $2::text, $3::text, $4::int4, $5::int4) a`,
};

const ADMIT_AT_RATE: Statement = {
  name: 'admit-quota-at-rate',
  writes: true,
  text: `
    select to_json(a.admitted) as admitted, a.next_us
    from admit_quota_at_rate(
      $1::text, $2::text, $3::text, $4::int4, $5::int4, $6::text, $7::int8, $8::int4
    ) a`,
};
