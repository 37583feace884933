import type { MemoryStore, MemoryUsage } from '../../memory.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/*
 * The counts of a tenant and the places kept for facts that are being embedded are one row, so that
 * one conditional update both counts and takes: of two that want the last place, the second waits
 * for the row and then finds it full.
 */

export function createMemoryUsage(
  pool: PostgresPool,
): Pick<MemoryStore, 'readUsage' | 'reserve' | 'release'> {
  return {
    async readUsage(tenantId) {
      const [row] = await pool.run<MemoryUsage>(READ_USAGE, [tenantId]);
      if (row === undefined) throw new Error('one row of counts was expected');
      return row;
    },

    async reserve({ tenantId, reservationId, quota, holdMs }) {
      return (await pool.run(RESERVE, [tenantId, reservationId, quota, holdMs])).length > 0;
    },

    async release({ tenantId, reservationId }) {
      await pool.run(RELEASE, [tenantId, reservationId]);
    },
  };
}

export const NOW_MS = `floor(extract(epoch from clock_timestamp()) * 1000)::int8`;

/** The reservations of a usage row `u` that have not lapsed. */
export const HELD = `jsonb_each(u.reservations) as e where e.value::int8 > ${NOW_MS}`;

const READ_USAGE: Statement = {
  name: 'read-memory-usage',
  writes: false,
  text: `
    select coalesce(u.added, 0) as added, coalesce(u.live, 0) as live,
      t.limits ->> 'memory_tier' as tier
    from (select $1::text as tenant_id) given
    left join memory_usage u on u.tenant_id = given.tenant_id
    left join tenants t on t.id = given.tenant_id`,
};

const RESERVE: Statement = {
  name: 'reserve-memory-place',
  writes: true,
  text: `
    insert into memory_usage as u (tenant_id, reservations)
    select $1, jsonb_build_object($2::text, ${NOW_MS} + $4::int8)
    where $3::int8 > 0
    on conflict (tenant_id) do update
    set reservations = excluded.reservations
      || (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from ${HELD})
    where u.added + (select count(*) from ${HELD}) < $3::int8
    returning u.tenant_id`,
};

const RELEASE: Statement = {
  name: 'release-memory-place',
  writes: true,
  text: `
    update memory_usage u
    set reservations = u.reservations - $2::text
    where u.tenant_id = $1`,
};
