import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { EndedDebounce, FlowStore } from '../../flow.ts';
import { isLive } from '../commit/places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

export async function endDebounce(
  pool: PostgresPool,
  { tenantId, placeKey }: Parameters<FlowStore['endDebounce']>[0],
): Promise<EndedDebounce> {
  const rows = await pool.run<EndedRecord>(END_DEBOUNCE, [tenantId, placeKey]);
  const begun = rows
    .filter(({ has_begun: hasBegun }) => hasBegun)
    .map(({ id, shard, waited_ms: waitedMs }) => ({
      executionId: executionIdFromUuid(id),
      shard,
      waitedMs,
    }));
  return { begun, hasMoved: rows.length > begun.length };
}

interface EndedRecord {
  readonly id: string;
  readonly shard: number;
  readonly waited_ms: number;
  readonly has_begun: boolean;
}

/** An older one that lives is displaced first: without the newest, it would count as the newest. */
const END_DEBOUNCE: Statement = {
  name: 'end-debounce',
  writes: true,
  text: `
    with newest as materialized (
      select w.execution_id, w.shard, w.seq, w.since, w.due_at, w.next_line::json as line,
        ${isLive('w')} as is_live
      from flow_waits w
      where w.tenant_id = $1
        and w.place_key = $2
      order by w.seq desc
      limit 1
      for update
    ),
    due as materialized (
      select n.*
      from newest n
      where n.is_live
        and n.due_at <= clock_timestamp()
        and not exists (
          select
          from flow_waits w
          where w.tenant_id = $1
            and w.place_key = $2
            and w.seq < n.seq
            and ${isLive('w')}
        )
    ),
    gone as (
      delete from flow_waits g
      where g.execution_id = any(array(
        select d.execution_id
        from due d
        where d.line is null
        union all
        select n.execution_id
        from newest n
        where n.is_live is not true
      ))
    ),
    marked as (
      insert into runnable (execution_id, shard)
      select d.execution_id, d.shard
      from due d
      where d.line is null
      on conflict (execution_id) do nothing
    ),
    moved as (
      update flow_waits g
      set place_key = d.line ->> 'place_key',
        places_max = (d.line ->> 'places_max')::int,
        places_key = d.line ->> 'places_key',
        bucket_key = d.line ->> 'bucket_key',
        interval_us = (d.line ->> 'interval_us')::int8,
        burst = (d.line ->> 'burst')::int,
        cancels_oldest = (d.line ->> 'cancels_oldest')::bool,
        since = clock_timestamp(),
        seq = default,
        first_at = null,
        due_at = null,
        next_line = null
      from due d
      where g.execution_id = d.execution_id
        and d.line is not null
    )
    select d.execution_id as id, d.shard, d.line is null as has_begun,
      (extract(epoch from clock_timestamp() - d.since) * 1000)::int8 as waited_ms
    from due d`,
};
