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
