import type { TenantId } from '../../../domain/ids.ts';
import type { WorkerAnnouncement, WorkerRow, WorkerStore } from '../../workers.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

/** A process or tool worker that is silent for longer counts as gone. */
export const WORKER_SILENCE_MS_MAX = 60_000;

export function createWorkerStore(connection: Connection): WorkerStore {
  return {
    announce: (workers) => connection.write(() => announce(connection, workers)),
    list: (tenantId) => connection.read(() => listWorkers(connection, tenantId)),
    withdraw: (workerId) =>
      connection.write(() => {
        connection.run('delete from workers where worker_id = :worker_id', { worker_id: workerId });
      }),
  };
}

function announce(connection: Connection, workers: readonly WorkerAnnouncement[]): void {
  const now = connection.now();
  for (const worker of workers) {
    connection.run(
      `insert into workers (
         worker_id, tenant_id, kind, role, queue_types, tools, queue_names, version, host, started_at,
         last_heartbeat
       )
       values (
         :worker_id, :tenant_id, :kind, :role, :queue_types, :tools, :queue_names, :version, :host, :now,
         :now
       )
       on conflict (coalesce(tenant_id, ''), worker_id) do update
       set kind = excluded.kind,
           role = excluded.role,
           queue_types = excluded.queue_types,
           tools = excluded.tools,
           queue_names = excluded.queue_names,
           version = excluded.version,
           host = excluded.host,
           -- A worker that returns after a silence counts as newly started.
           started_at = case
             when last_heartbeat > :seen_since then started_at
             else excluded.started_at
           end,
           last_heartbeat = excluded.last_heartbeat`,
      {
        worker_id: worker.workerId,
        tenant_id: worker.tenantId,
        kind: worker.kind,
        role: worker.role,
        queue_types: JSON.stringify(worker.queueTypes),
        tools: textOf(worker.filter?.tools),
        queue_names: textOf(worker.filter?.queueNames),
        version: worker.version,
        host: worker.host,
        now,
        seen_since: now - WORKER_SILENCE_MS_MAX,
      },
    );
  }
}

function listOf(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

function textOf(list: readonly string[] | null | undefined): string | null {
  return list ? JSON.stringify(list) : null;
}

interface RawWorker {
  readonly worker_id: string;
  readonly kind: WorkerRow['kind'];
  readonly role: string | null;
  readonly queue_types: string;
  readonly tools: string | null;
  readonly queue_names: string | null;
  readonly version: string;
  readonly host: string;
  readonly started_at: number;
  readonly last_heartbeat: number;
  readonly active_items: number;
}

function listWorkers(connection: Connection, tenantId: TenantId): readonly WorkerRow[] {
  return connection
    .all<RawWorker>(
      `select worker_id, kind, role, queue_types, tools, queue_names, version, host, started_at, last_heartbeat,
         (
           select count(*)
           from work_leases as lease
           where lease.worker_id = workers.worker_id
             and (
               (workers.tenant_id is null and lease.queue = 'engine')
               or (workers.tenant_id = lease.tenant_id and lease.queue <> 'engine')
             )
         ) as active_items
       from workers
       where (tenant_id = :tenant_id or tenant_id is null)
         and last_heartbeat > :seen_since
       order by worker_id`,
      { tenant_id: tenantId, seen_since: connection.now() - WORKER_SILENCE_MS_MAX },
    )
    .map((row) => ({
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
      startedAt: toIso(row.started_at),
      lastHeartbeat: toIso(row.last_heartbeat),
      activeItems: row.active_items,
    }));
}
