import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import { TOKENS_SOON_MS } from '../../readings/diagnosis.ts';
import type {
  InstallationFacts,
  LiveExecution,
  Overdue,
  ProcessFacts,
  QueueFacts,
} from '../../installation.ts';
import type { Bindings, Connection } from '../connection/connect.ts';
import { TENANT_IS_ACTIVE, toIso, toIsoOrNull } from '../rows.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

const DAY_MS = 86_400_000;

export function readInstallationFacts(
  connection: Connection,
  { limit }: { readonly limit: number },
): InstallationFacts {
  const now = connection.now();
  const count = (sql: string, bindings: Bindings = {}): number =>
    connection.get<{ readonly found: number }>(sql, bindings)?.found ?? 0;
  const instant = (sql: string, bindings: Bindings = {}): number | null =>
    connection.get<{ readonly found: number | null }>(sql, bindings)?.found ?? null;
  const sealedUntil = instant('select max(covers_to) as found from audit_windows');
  return {
    now: toIso(now),
    processes: readProcesses(connection, now),
    queues: readQueues(connection, now, limit),
    queuesTotal: count(
      `select count(*) as found
       from (
         select distinct case when queue = 'engine' then null else tenant_id end, queue
         from work_queue
         where ${TENANT_IS_ACTIVE}
       )`,
    ),
    lapsedLeases: readOverdue(connection, { table: 'work_leases', column: 'expires_at', now }),
    overdueTimers: readOverdue(connection, { table: 'timers', column: 'due_at', now }),
    overdueRetries: readOverdue(connection, { table: 'retry_timers', column: 'due_at', now }),
    marks: count('select count(*) as found from runnable'),
    deadLetters: {
      total: count('select count(*) as found from dead_letters'),
      lastDay: count('select count(*) as found from dead_letters where dead_lettered_at > :since', {
        since: now - DAY_MS,
      }),
    },
    sealedUntil: toIsoOrNull(sealedUntil),
    unsealedSince: toIsoOrNull(
      instant('select min(created_at) as found from audit_log where created_at >= :since', {
        since: sealedUntil ?? 0,
      }),
    ),
    tokens: {
      valid: count(
        `select count(*) as found from tokens
         where revoked_at is null and (expires_at is null or expires_at > :now)`,
        { now },
      ),
      expired: count(
        'select count(*) as found from tokens where revoked_at is null and expires_at <= :now',
        { now },
      ),
      endingSoon: count(
        `select count(*) as found from tokens
         where revoked_at is null and expires_at > :now and expires_at <= :soon`,
        { now, soon: now + TOKENS_SOON_MS },
      ),
    },
    sealedWith: connection
      .all<{ readonly key_id: string }>(
        'select distinct key_id from memory_settings where key_id is not null order by key_id',
      )
      .map(({ key_id: keyId }) => keyId),
    liveExecutions: count(
      `select count(*) as found from executions where status in ('running', 'paused')`,
    ),
  };
}

export function listOldestLive(
  connection: Connection,
  { limit }: { readonly limit: number },
): readonly LiveExecution[] {
  return connection
    .all<{ readonly id: ExecutionId; readonly tenant_id: TenantId }>(
      `select id, tenant_id
       from executions
       where status in ('running', 'paused')
       order by created_at, id
       limit :limit`,
      { limit },
    )
    .map(({ id: executionId, tenant_id: tenantId }) => ({ executionId, tenantId }));
}

/** Where an instant stands that something is due at. */
export interface DueColumn {
  readonly table: 'work_leases' | 'timers' | 'retry_timers';
  readonly column: 'expires_at' | 'due_at';
}

function readOverdue(
  connection: Connection,
  { table, column, now }: DueColumn & { readonly now: number },
): Overdue {
  const row = connection.get<{ readonly count: number; readonly oldest: number | null }>(
    `select count(*) as count, min(${column}) as oldest
     from ${table}
     where ${column} <= :now and ${TENANT_IS_ACTIVE}`,
    { now },
  );
  return { count: row?.count ?? 0, oldestAt: toIsoOrNull(row?.oldest ?? null) };
}

function readProcesses(connection: Connection, now: number): readonly ProcessFacts[] {
  return connection
    .all<{
      readonly worker_id: string;
      readonly role: string | null;
      readonly version: string;
      readonly host: string;
      readonly last_heartbeat: number;
    }>(
      `select worker_id, role, version, host, last_heartbeat
       from workers
       where tenant_id is null
       order by last_heartbeat desc, worker_id`,
    )
    .map((row) => ({
      processId: row.worker_id,
      role: row.role ?? '',
      version: row.version,
      host: row.host,
      lastHeartbeat: toIso(row.last_heartbeat),
      isSeen: row.last_heartbeat > now - WORKER_SILENCE_MS_MAX,
    }));
}

function readQueues(connection: Connection, now: number, limit: number): readonly QueueFacts[] {
  return connection
    .all<{
      readonly tenant_id: TenantId | null;
      readonly queue: string;
      readonly items: number;
      readonly oldest_at: number;
      readonly seen: number;
    }>(
      `select tenant_id, queue, items, oldest_at, (
           select count(*)
           from workers w
           where w.tenant_id is g.tenant_id
             and w.last_heartbeat > :seen_since
             and case
               when g.tenant_id is null then w.role in ('scheduler', 'all')
               else g.queue in (select value from json_each(w.queue_types))
             end
         ) + (
           select count(distinct worker_id)
           from work_leases l
           where l.tenant_id = g.tenant_id and l.queue = g.queue and l.expires_at > :now
         ) as seen
       from (
         select case when queue = 'engine' then null else tenant_id end as tenant_id, queue,
           count(*) as items, min(enqueued_at) as oldest_at
         from work_queue
         where ${TENANT_IS_ACTIVE}
         group by 1, 2
       ) g
       order by oldest_at
       limit :limit`,
      { now, seen_since: now - WORKER_SILENCE_MS_MAX, limit },
    )
    .map((row) => ({
      tenantId: row.tenant_id,
      queue: row.queue,
      items: row.items,
      oldestAt: toIso(row.oldest_at),
      workersSeen: row.seen,
    }));
}
