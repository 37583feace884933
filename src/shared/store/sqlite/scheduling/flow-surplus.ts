import type { FlowStore, SurplusExecution } from '../../flow.ts';
import type { Connection } from '../connection/connect.ts';

/** See `SURPLUS` of PostgreSQL. */
export function listSurplus(
  connection: Connection,
  { tenantId, placeKey, limit }: Parameters<FlowStore['listSurplus']>[0],
): readonly SurplusExecution[] {
  return connection.all<SurplusExecution>(
    `with newest as (
       select seq, execution_id, places_max
       from flow_waits
       where tenant_id = :tenant_id and place_key = :place_key and cancels_oldest = 1
       order by seq desc
       limit 1
     ),
     wanting as (
       select w.execution_id, w.seq as seq, null as taken_at
       from flow_waits w
       where w.tenant_id = :tenant_id
         and w.place_key = :place_key
         and w.seq <= (select seq from newest)
       union all
       select p.execution_id, null, p.taken_at
       from flow_places p
       where p.tenant_id = :tenant_id and p.place_key = :place_key and p.is_leaving = 0
     ),
     ranked as (
       select w.execution_id, row_number() over (
         order by w.seq desc nulls last, w.taken_at desc, e.created_at desc, w.execution_id desc
       ) as newness
       from wanting w
       join executions e on e.id = w.execution_id
       where e.status in ('running', 'paused')
     )
     select r.execution_id as executionId, n.execution_id as "for", v.actor_id as startedBy
     from newest n
     join ranked r on r.newness > n.places_max
     join events v on v.execution_id = n.execution_id and v.sequence = 1
     order by r.newness desc
     limit :limit`,
    { tenant_id: tenantId, place_key: placeKey, limit },
  );
}

/** A surplus execution waits: it would begin, and be cancelled at once. */
export function hasSurplusWaits(
  connection: Connection,
  { tenantId, placeKey }: Pick<Parameters<FlowStore['admit']>[0], 'tenantId' | 'placeKey'>,
): boolean {
  const newest = connection.get<{ readonly seq: number; readonly placesMax: number }>(
    `select seq, places_max as placesMax
     from flow_waits
     where tenant_id = ? and place_key = ? and cancels_oldest = 1
     order by seq desc
     limit 1`,
    [tenantId, placeKey],
  );
  if (newest === undefined) return false;
  const row = connection.get<{ readonly wanting: number }>(
    `select count(*) as wanting
     from flow_waits w
     join executions e on e.id = w.execution_id
     where w.tenant_id = ?
       and w.place_key = ?
       and w.seq <= ?
       and e.status in ('running', 'paused')`,
    [tenantId, placeKey, newest.seq],
  );
  return (row?.wanting ?? 0) > newest.placesMax;
}
