import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { FlowStore, SurplusExecution } from '../../flow.ts';
import { isLive } from '../commit/places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';
import { LIMITED_WAITS } from './limited-waits.ts';

export async function listSurplus(
  pool: PostgresPool,
  { tenantId, placeKey, limit }: Parameters<FlowStore['listSurplus']>[0],
): Promise<readonly SurplusExecution[]> {
  const rows = await pool.run<SurplusRecord>(SURPLUS, [tenantId, placeKey, limit]);
  return rows.map(({ id, for_id: forId, started_by: startedBy }) => ({
    executionId: executionIdFromUuid(id),
    for: executionIdFromUuid(forId),
    startedBy,
  }));
}

export async function noteLeaving(pool: PostgresPool, executionId: ExecutionId): Promise<void> {
  await pool.run(NOTE_LEAVING, [toUuid(executionId)]);
}

interface SurplusRecord {
  readonly id: string;
  readonly for_id: string;
  readonly started_by: string;
}

/**
 * See `FlowStore`: those beyond the newest of the key, up to and with the newest that cancels others. So
 * many of the oldest as are listed, and as stay, say which of them are surplus.
 */
const SURPLUS: Statement = {
  name: 'list-surplus-executions',
  writes: false,
  text: `
    with newest as materialized (
      select c.seq, c.execution_id, c.places_max
      from ${LIMITED_WAITS} c
      where c.tenant_id = $1
        and c.place_key = $2
        and c.cancels_oldest
      order by c.seq desc
      limit 1
    ),
    wanting as materialized (
      select p.execution_id, null::int8 as seq, p.taken_at
      from flow_places p
      where p.tenant_id = $1
        and p.place_key = $2
        and not p.is_leaving
        and ${isLive('p')}
      union all
      select o.execution_id, o.seq, null
      from newest n
      cross join lateral (
        select w.execution_id, w.seq
        from flow_waits w
        where w.tenant_id = $1
          and w.place_key = $2
          and w.seq <= n.seq
          and ${isLive('w')}
        order by w.seq
        limit $3::int8 + n.places_max
      ) o
    ),
    ranked as materialized (
      select w.execution_id, count(*) over () as wanting, row_number() over (
        order by w.seq nulls first, w.taken_at, (
          select e.created_at
          from executions e
          where e.id = w.execution_id
        ), w.execution_id
      ) as oldness
      from wanting w
    )
    select r.execution_id as id, n.execution_id as for_id, (
      select v.actor_id
      from events v
      where v.execution_id = n.execution_id
        and v.sequence = 1
    ) as started_by
    from newest n
    join ranked r on r.oldness <= least($3::int8, r.wanting - n.places_max)
    order by r.oldness`,
};

const NOTE_LEAVING: Statement = {
  name: 'note-leaving-execution',
  writes: true,
  text: 'update flow_places set is_leaving = true where execution_id = $1::uuid',
};
