import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { RunnableStore } from '../../scheduling.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { lookAround } from './look-around.ts';

export function createRunnableStore(pool: PostgresPool): RunnableStore {
  return {
    async list({ shards, limit }) {
      if (shards.length === 0) return [];
      const rows = await pool.run<{ readonly execution_id: string; readonly shard: number }>(LIST, [
        shards,
        limit,
      ]);
      return rows.map((row) => ({
        executionId: executionIdFromUuid(row.execution_id),
        shard: row.shard,
      }));
    },
    lookAround: () => lookAround(pool),
  };
}

/**
 * The oldest of each shard by its index, then the oldest of all. Marks know no tenant: as long as all
 * are active, which is nearly always, executions are not looked up for it. An execution that waits for a
 * place may be marked as well, by an event from outside: it begins when it has its place. With
 * `offset 0` the server looks the waits of each execution up, and never hashes all that wait.
 */
const LIST: Statement = {
  name: 'list-runnable',
  writes: false,
  text: `
    with inactive as materialized (
      select array(select n.id from tenants n where n.status <> 'active') as ids,
        exists (select from child_places c where c.state = 'waiting') as any_waits,
        exists (select from flow_waits) as any_in_flow
    )
    select h.execution_id, h.shard
    from unnest($1::int2[]) as s (shard)
    cross join lateral (
      select r.execution_id, r.shard, r.seq
      from runnable r
      where r.shard = s.shard
        and (
          (select ids from inactive) = '{}'
          or (
            select e.tenant_id <> all((select ids from inactive)::text[])
            from executions e
            where e.id = r.execution_id
          )
        )
        and not (
          (select any_waits from inactive)
          and exists (
            select
            from child_places c
            where c.execution_id = r.execution_id
              and c.state = 'waiting'
            offset 0
          )
        )
        and not (
          (select any_in_flow from inactive)
          and exists (select from flow_waits w where w.execution_id = r.execution_id offset 0)
        )
      order by r.seq
      limit $2
    ) h
    order by h.seq
    limit $2`,
};
