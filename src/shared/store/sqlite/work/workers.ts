import type {
  ListWorkers,
  WorkerAnnouncement,
  WorkerList,
  WorkerRow,
  WorkerStore,
} from '../../workers.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

/** A process or tool worker that is silent for longer counts as gone. */
export const WORKER_SILENCE_MS_MAX = 60_000;

export function createWorkerStore(connection: Connection): WorkerStore {
  return {
    announce: (workers) => connection.write(() => announce(connection, workers)),
    list: (params) => connection.read(() => listWorkers(connection, params)),
    withdraw: ({ workerId, tenantId }) =>
      connection.write(() => {
        connection.run(
          "delete from workers where coalesce(tenant_id, '') = :owner and worker_id = :worker_id",
          { owner: tenantId ?? '', worker_id: workerId },
        );
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
  readonly counted: number;
}

/** Exported for a test of its plan. */
export const LIST_WORKERS = `
  with counted as materialized (
    select worker_id, tenant_id, queue
    from work_leases
    order by execution_id
    limit :leases
  ),
  held as materialized (
    select worker_id, case when queue = 'engine' then '' else tenant_id end as owner,
      count(*) as items
    from counted
    group by 1, 2
  )
  select w.worker_id, w.kind, w.role, w.queue_types, w.tools, w.queue_names, w.version, w.host,
    w.started_at, w.last_heartbeat,
    coalesce(
      (
        select h.items
        from held as h
        where h.worker_id = w.worker_id
          and h.owner = coalesce(w.tenant_id, '')
      ),
      0
    ) as active_items,
    (select count(*) from counted) as counted
  from workers as w
  where (w.tenant_id = :tenant_id or w.tenant_id is null)
    and w.last_heartbeat > :seen_since
  order by w.worker_id`;

function listWorkers(connection: Connection, { tenantId, leasesMax }: ListWorkers): WorkerList {
  const rows = connection.all<RawWorker>(LIST_WORKERS, {
    tenant_id: tenantId,
    seen_since: connection.now() - WORKER_SILENCE_MS_MAX,
    leases: leasesMax === 0 ? 0 : leasesMax + 1,
  });
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
    startedAt: toIso(row.started_at),
    lastHeartbeat: toIso(row.last_heartbeat),
    activeItems: row.active_items,
  }));
  return { workers, isExact: (rows[0]?.counted ?? 0) <= leasesMax };
}
