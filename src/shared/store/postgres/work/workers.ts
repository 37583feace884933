import { sql } from 'slonik';
import { z } from 'zod';

import type { WorkerStore } from '../../workers.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import type { Management } from '../connection/management.ts';

/** A process or tool worker that is silent for longer counts as gone. */
export const WORKER_SILENCE_MS_MAX = 60_000;

const WorkerRecord = z.object({
  worker_id: z.string(),
  kind: z.enum(['runtime', 'tool']),
  role: z.string().nullable(),
  queue_types: z.string(),
  tools: z.string().nullable(),
  queue_names: z.string().nullable(),
  version: z.string(),
  host: z.string(),
  started_at: z.string(),
  last_heartbeat: z.string(),
  active_items: z.int(),
  is_exact: z.boolean(),
});

const NoRecord = z.object({});

/** Announcements use the hot path's pool: every process sends one every few seconds. */
export function createWorkerStore(pool: PostgresPool, management: Management): WorkerStore {
  return {
    async announce(workers) {
      if (workers.length === 0) return;
      await pool.run(ANNOUNCE, [
        workers.map(({ workerId }) => workerId),
        workers.map(({ tenantId }) => tenantId),
        workers.map(({ kind }) => kind),
        workers.map(({ role }) => role),
        workers.map(({ queueTypes }) => JSON.stringify(queueTypes)),
        workers.map(({ version }) => version),
        workers.map(({ host }) => host),
        workers.map(({ filter }) => textOf(filter?.tools)),
        workers.map(({ filter }) => textOf(filter?.queueNames)),
        WORKER_SILENCE_MS_MAX,
      ]);
    },

    async list({ tenantId, leasesMax }) {
      const rows = await management.any(sql.type(WorkerRecord)`
        with counted as materialized (
          select l.worker_id, l.tenant_id
          from work_leases l
          order by l.execution_id
          limit ${leasesMax === 0 ? 0 : leasesMax + 1}
        ),
        held as materialized (
          select c.worker_id, c.tenant_id, count(*) as items
          from counted c
          group by c.worker_id, c.tenant_id
        )
        select w.worker_id, w.kind, w.role, w.queue_types, w.tools, w.queue_names, w.version, w.host,
          w.started_at, w.last_heartbeat,
          (
            select coalesce(sum(h.items), 0)::int8
            from held h
            where h.worker_id = w.worker_id
              and (w.tenant_id is null or h.tenant_id = w.tenant_id)
          ) as active_items,
          (select count(*) <= ${leasesMax} from counted) as is_exact
        from workers w
        where (w.tenant_id = ${tenantId} or w.tenant_id is null)
          and w.last_heartbeat > clock_timestamp()
            - ${WORKER_SILENCE_MS_MAX}::int8 * interval '1 millisecond'
        order by w.worker_id`);
      const workers = rows.map((row) => ({
        workerId: row.worker_id,
        kind: row.kind,
        role: row.role,
        queueTypes: JSON.parse(row.queue_types) as string[],
        filter: {
          tools: listOf(row.tools),
          queueNames: listOf(row.queue_names),
        },
        version: row.version,
        host: row.host,
        startedAt: row.started_at,
        lastHeartbeat: row.last_heartbeat,
        activeItems: row.active_items,
      }));
      return { workers, isExact: rows[0]?.is_exact ?? true };
    },

    async withdraw({ workerId, tenantId }) {
      await management.any(
        sql.type(NoRecord)`
          delete from workers w
          where coalesce(w.tenant_id, '') = ${tenantId ?? ''}
            and w.worker_id = ${workerId}`,
        { writes: true },
      );
    },
  };
}

function listOf(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

function textOf(list: readonly string[] | null | undefined): string | null {
  return list ? JSON.stringify(list) : null;
}

/** Sorted, so that two processes that announce the same workers at once never deadlock. */
const ANNOUNCE: Statement = {
  name: 'announce-workers',
  writes: true,
  text: `
    with clock as materialized (
      select date_trunc('milliseconds', clock_timestamp()) as stamp
    )
    insert into workers as w (
      worker_id, tenant_id, kind, role, queue_types, tools, queue_names, version, host, started_at,
      last_heartbeat
    )
    select distinct on (a.tenant_id, a.worker_id) a.worker_id, a.tenant_id, a.kind, a.role,
      a.queue_types, a.tools, a.queue_names, a.version, a.host, (select stamp from clock),
      (select stamp from clock)
    from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[], $5::json[], $6::text[], $7::text[], $8::json[],
      $9::json[]
    ) as a (worker_id, tenant_id, kind, role, queue_types, version, host, tools, queue_names)
    order by a.tenant_id, a.worker_id
    on conflict (tenant_id, worker_id) do update
    set kind = excluded.kind,
      role = excluded.role,
      queue_types = excluded.queue_types,
      tools = excluded.tools,
      queue_names = excluded.queue_names,
      version = excluded.version,
      host = excluded.host,
      started_at = case
        when w.last_heartbeat > excluded.last_heartbeat - $10::int8 * interval '1 millisecond'
          then w.started_at
        -- A worker that returns after a silence counts as newly started.
        else excluded.started_at
      end,
      last_heartbeat = excluded.last_heartbeat`,
};
