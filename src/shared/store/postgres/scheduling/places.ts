import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import { AHEAD_MAX, type PlaceStore } from '../../places.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { toUuid } from '../rows.ts';

export function createPlaceStore(pool: PostgresPool): PlaceStore {
  return {
    async admit({ tenantId, limit }) {
      const rows = await pool.run<AdmittedRecord>(ADMIT, [tenantId, limit]);
      return rows.map(({ id, shard, waited_ms: waitedMs }) => ({
        executionId: executionIdFromUuid(id),
        shard,
        waitedMs,
      }));
    },

    async listTenants() {
      const rows = await pool.run<{ readonly tenant_id: TenantId }>(LIST_TENANTS, []);
      return rows.map((row) => row.tenant_id);
    },

    async find(executionId, { aheadMax } = { aheadMax: AHEAD_MAX }) {
      const [row] = await pool.run<WaitRecord>(FIND, [toUuid(executionId), aheadMax]);
      if (row === undefined) return null;
      const { since, ahead, places_max: placesMax } = row;
      return { since, ahead, placesMax };
    },
  };
}

interface AdmittedRecord {
  readonly id: string;
  readonly shard: number;
  readonly waited_ms: number;
}

interface WaitRecord {
  readonly since: string;
  readonly ahead: number;
  readonly places_max: number | null;
}

/**
 * The waits are read as they were before the function removed them. A child that borrows a place may be none
 * of the first; it has waited since it was created.
 */
const ADMIT: Statement = {
  name: 'admit-children',
  writes: true,
  text: `
    with waits as materialized (
      select c.execution_id, c.since
      from child_places c
      where c.tenant_id = $1::text
        and c.state = 'waiting'
      order by c.seq
      limit $2::int4
    )
    select a.admitted_id as id, a.admitted_shard as shard,
      (extract(epoch from clock_timestamp() - coalesce(
        (select w.since from waits w where w.execution_id = a.admitted_id),
        (select e.created_at from executions e where e.id = a.admitted_id)
      )) * 1000)::int8 as waited_ms
    from admit_children($1::text, $2::int4) a`,
};

/** From one tenant to the next by the index, however many children of each wait. */
const LIST_TENANTS: Statement = {
  name: 'list-tenants-waiting-for-places',
  writes: false,
  text: `
    with recursive waiting as (
      (
        select c.tenant_id
        from child_places c
        where c.state = 'waiting'
        order by c.tenant_id
        limit 1
      )
      union all
      select (
        select c.tenant_id
        from child_places c
        where c.state = 'waiting'
          and c.tenant_id > w.tenant_id
        order by c.tenant_id
        limit 1
      )
      from waiting w
      where w.tenant_id is not null
    )
    select w.tenant_id
    from waiting w
    where w.tenant_id is not null`,
};

const FIND: Statement = {
  name: 'find-place-wait',
  writes: false,
  text: `
    select c.since, (
      select count(*)
      from (
        select
        from child_places o
        where o.tenant_id = c.tenant_id
          and o.state = 'waiting'
          and o.seq < c.seq
        limit $2
      ) earlier
    ) as ahead,
      (
        select (t.limits ->> 'max_concurrent_executions')::int8
        from tenants t
        where t.id = c.tenant_id
      ) as places_max
    from child_places c
    where c.execution_id = $1::uuid
      and c.state = 'waiting'`,
};
