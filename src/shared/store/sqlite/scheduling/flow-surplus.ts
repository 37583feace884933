import type { ExecutionId } from '../../../domain/ids.ts';
import type { FlowStore, LineName, SurplusExecution } from '../../flow.ts';
import type { Connection } from '../connection/connect.ts';
import { LIMITED_WAITS } from './limited-waits.ts';

/** See `SURPLUS` of PostgreSQL. */
export function listSurplus(
  connection: Connection,
  { tenantId, placeKey, limit }: Parameters<FlowStore['listSurplus']>[0],
): readonly SurplusExecution[] {
  const newest = findNewest(connection, { tenantId, placeKey });
  if (newest === undefined) return [];
  return connection.all<SurplusExecution>(
    `with wanting as (
       select p.execution_id, null as seq, p.taken_at
       from flow_places p
       join executions e on e.id = p.execution_id
       where p.tenant_id = :tenant_id
         and p.place_key = :place_key
         and p.is_leaving = 0
         and e.status in ('running', 'paused')
       union all
       select execution_id, seq, null
       from (
         select w.execution_id, w.seq
         from flow_waits w
         join executions e on e.id = w.execution_id
         where w.tenant_id = :tenant_id
           and w.place_key = :place_key
           and w.seq <= :newest_seq
           and e.status in ('running', 'paused')
         order by w.seq
         limit :limit + :places_max
       )
     ),
     ranked as (
       select w.execution_id, count(*) over () as wanting, row_number() over (
         order by w.seq nulls first, w.taken_at, e.created_at, w.execution_id
       ) as oldness
       from wanting w
       join executions e on e.id = w.execution_id
     )
     select r.execution_id as executionId, v.execution_id as "for", v.actor_id as startedBy
     from ranked r
     join events v on v.execution_id = :newest_id and v.sequence = 1
     where r.oldness <= min(:limit, r.wanting - :places_max)
     order by r.oldness`,
    {
      tenant_id: tenantId,
      place_key: placeKey,
      limit,
      newest_seq: newest.seq,
      newest_id: newest.executionId,
      places_max: newest.placesMax,
    },
  );
}

/** A surplus execution waits: it would begin, and be cancelled at once. */
export function hasSurplusWaits(connection: Connection, line: LineName): boolean {
  const newest = findNewest(connection, line);
  if (newest === undefined) return false;
  const row = connection.get<{ readonly wanting: number }>(
    `select count(*) as wanting
     from (
       select 1
       from flow_waits w
       join executions e on e.id = w.execution_id
       where w.tenant_id = ?
         and w.place_key = ?
         and w.seq <= ?
         and e.status in ('running', 'paused')
       limit ?
     )`,
    [line.tenantId, line.placeKey, newest.seq, newest.placesMax + 1],
  );
  return (row?.wanting ?? 0) > newest.placesMax;
}

/** The newest that cancels others. */
function findNewest(
  connection: Connection,
  { tenantId, placeKey }: LineName,
):
  | { readonly executionId: ExecutionId; readonly seq: number; readonly placesMax: number }
  | undefined {
  return connection.get(
    `select execution_id as executionId, seq, places_max as placesMax
     from ${LIMITED_WAITS}
     where tenant_id = ? and place_key = ? and cancels_oldest = 1
     order by seq desc
     limit 1`,
    [tenantId, placeKey],
  );
}
