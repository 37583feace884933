import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import { TOKENS_SOON_MS } from '../../readings/diagnosis.ts';
import type {
  InstallationFacts,
  LiveExecution,
  ProcessFacts,
  QueueFacts,
} from '../../installation.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { tenantIsActive } from '../rows.ts';
import { lapsedLeases } from '../work/lease-sql.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

export async function readInstallationFacts(
  pool: PostgresPool,
  { limit }: { readonly limit: number },
): Promise<InstallationFacts> {
  const [[row], processes, queues] = await Promise.all([
    pool.run<TotalsRecord>(TOTALS, [TOKENS_SOON_MS]),
    pool.run<ProcessRecord>(PROCESSES, [WORKER_SILENCE_MS_MAX]),
    pool.run<QueueRecord>(QUEUES, [WORKER_SILENCE_MS_MAX, limit]),
  ]);
  if (row === undefined) throw new Error('the totals have no row');
  return {
    now: row.now,
    processes: processes.map((process): ProcessFacts => ({
      processId: process.worker_id,
      role: process.role,
      version: process.version,
      host: process.host,
      lastHeartbeat: process.last_heartbeat,
      isSeen: process.is_seen,
    })),
    queues: queues.map((queue): QueueFacts => ({
      tenantId: queue.tenant_id,
      queue: queue.queue,
      items: queue.items,
      oldestAt: queue.oldest_at,
      workersSeen: queue.seen,
    })),
    queuesTotal: queues[0]?.total ?? 0,
    lapsedLeases: { count: row.lapsed_leases, oldestAt: row.lapsed_since },
    overdueTimers: { count: row.overdue_timers, oldestAt: row.timers_since },
    overdueRetries: { count: row.overdue_retries, oldestAt: row.retries_since },
    marks: row.marks,
    deadLetters: { total: row.dead_letters, lastDay: row.dead_letters_today },
    sealedUntil: row.sealed_until,
    unsealedSince: row.unsealed_since,
    tokens: { valid: row.valid, expired: row.expired, endingSoon: row.ending_soon },
    sealedWith: JSON.parse(row.sealed_with) as string[],
    liveExecutions: row.live,
  };
}

/** Tenants are leapt over one by one: no index has live executions apart from those that ended. */
const LIVE = `
  with recursive owners as (
    (select e.tenant_id from executions e order by e.tenant_id limit 1)
    union all
    select (
      select e.tenant_id
      from executions e
      where e.tenant_id > o.tenant_id
      order by e.tenant_id
      limit 1
    )
    from owners o
    where o.tenant_id is not null
  )`;

const OLDEST_LIVE: Statement = {
  name: 'oldest-live-executions',
  writes: false,
  text: `${LIVE}
    select l.id, l.tenant_id
    from owners o
    cross join unnest(array['running', 'paused']) as s (status)
    cross join lateral (
      select e.id, e.tenant_id, e.created_at
      from executions e
      where e.tenant_id = o.tenant_id
        and e.status = s.status
      order by e.created_at, e.id
      limit $1
    ) l
    order by l.created_at, l.id
    limit $1`,
};

export async function listOldestLive(
  pool: PostgresPool,
  { limit }: { readonly limit: number },
): Promise<readonly LiveExecution[]> {
  const rows = await pool.run<{ readonly id: string; readonly tenant_id: TenantId }>(OLDEST_LIVE, [
    limit,
  ]);
  return rows.map(({ id, tenant_id: tenantId }) => ({
    executionId: executionIdFromUuid(id),
    tenantId,
  }));
}

interface TotalsRecord {
  readonly now: string;
  readonly lapsed_leases: number;
  readonly lapsed_since: string | null;
  readonly overdue_timers: number;
  readonly timers_since: string | null;
  readonly overdue_retries: number;
  readonly retries_since: string | null;
  readonly marks: number;
  readonly dead_letters: number;
  readonly dead_letters_today: number;
  readonly sealed_until: string | null;
  readonly unsealed_since: string | null;
  readonly valid: number;
  readonly expired: number;
  readonly ending_soon: number;
  /** JSON. */
  readonly sealed_with: string;
  readonly live: number;
}

const TOTALS: Statement = {
  name: 'installation-totals',
  writes: false,
  text: `${LIVE},
    clock as materialized (
      select clock_timestamp() as instant
    ),
    lapsed as materialized (
      select count(*) as items, min(l.expires_at) as since
      from ${lapsedLeases('(select c.instant from clock c)')} l
      where ${tenantIsActive('l')}
    ),
    due as materialized (
      select count(*) as items, min(t.due_at) as since
      from timers t
      where t.due_at <= (select c.instant from clock c)
        and ${tenantIsActive('t')}
    ),
    retries as materialized (
      select count(*) as items, min(r.due_at) as since
      from retry_timers r
      where r.due_at <= (select c.instant from clock c)
        and ${tenantIsActive('r')}
    ),
    sealed as materialized (
      select max(w.covers_to) as until
      from audit_windows w
    )
    select c.instant as now, lapsed.items as lapsed_leases, lapsed.since as lapsed_since,
      due.items as overdue_timers, due.since as timers_since,
      retries.items as overdue_retries, retries.since as retries_since,
      (select count(*) from runnable) as marks,
      (select count(*) from dead_letters) as dead_letters,
      (
        select count(*)
        from dead_letters d
        where d.dead_lettered_at > c.instant - interval '1 day'
      ) as dead_letters_today,
      sealed.until as sealed_until,
      (
        select min(a.created_at)
        from audit_log a
        where a.created_at >= coalesce(sealed.until, '-infinity')
      ) as unsealed_since,
      (
        select count(*)
        from tokens k
        where k.revoked_at is null
          and (k.expires_at is null or k.expires_at > c.instant)
      ) as valid,
      (
        select count(*)
        from tokens k
        where k.revoked_at is null
          and k.expires_at <= c.instant
      ) as expired,
      (
        select count(*)
        from tokens k
        where k.revoked_at is null
          and k.expires_at > c.instant
          and k.expires_at <= c.instant + $1::int8 * interval '1 millisecond'
      ) as ending_soon,
      (
        select coalesce(json_agg(distinct m.key_id), '[]'::json)
        from memory_settings m
        where m.key_id is not null
      ) as sealed_with,
      (
        select count(*)
        from owners o
        join executions e on e.tenant_id = o.tenant_id
        where e.status in ('running', 'paused')
      ) as live
    from clock c, lapsed, due, retries, sealed`,
};

interface ProcessRecord {
  readonly worker_id: string;
  readonly role: string;
  readonly version: string;
  readonly host: string;
  readonly last_heartbeat: string;
  readonly is_seen: boolean;
}

const PROCESSES: Statement = {
  name: 'installation-processes',
  writes: false,
  text: `
    select w.worker_id, coalesce(w.role, '') as role, w.version, w.host, w.last_heartbeat,
      w.last_heartbeat > clock_timestamp() - $1::int8 * interval '1 millisecond' as is_seen
    from workers w
    where w.tenant_id is null
    order by w.last_heartbeat desc, w.worker_id`,
};

interface QueueRecord {
  readonly tenant_id: TenantId | null;
  readonly queue: string;
  readonly items: number;
  readonly oldest_at: string;
  readonly seen: number;
  readonly total: number;
}

const QUEUES: Statement = {
  name: 'installation-queues',
  writes: false,
  text: `
    with waiting as materialized (
      select case when q.queue = 'engine' then null else q.tenant_id end as tenant_id, q.queue,
        count(*) as items, min(q.enqueued_at) as oldest_at
      from work_queue q
      where ${tenantIsActive('q')}
      group by 1, 2
    )
    select g.tenant_id, g.queue, g.items, g.oldest_at, (select count(*) from waiting) as total, (
        select count(*)
        from workers w
        where w.tenant_id is not distinct from g.tenant_id
          and w.last_heartbeat > clock_timestamp() - $1::int8 * interval '1 millisecond'
          and case
            when g.tenant_id is null then w.role in ('scheduler', 'all')
            else g.queue in (select json_array_elements_text(w.queue_types))
          end
      ) + case when g.tenant_id is null then 0 else (
        select count(distinct l.worker_id)
        from work_leases l
        where l.tenant_id = g.tenant_id
          and l.queue = g.queue
          and l.expires_at > clock_timestamp()
      ) end as seen
    from waiting g
    order by g.oldest_at
    limit $2`,
};
