import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { AdmittedExecution } from '../../flow.ts';
import { AHEAD_MAX, type PlaceStore } from '../../places.ts';
import type { Connection } from '../connection/connect.ts';
import { markRunnable } from './mark-runnable.ts';
import { toIso } from '../rows.ts';

export function createPlaceStore(connection: Connection): PlaceStore {
  return {
    admit: (params) => connection.write(() => admit(connection, params)),
    listTenants: () => connection.read(() => listTenants(connection)),
    find: (executionId) => connection.read(() => find(connection, executionId)),
  };
}

interface Waiting {
  readonly executionId: ExecutionId;
  readonly shard: number;
  readonly since: number;
}

/** See `admit_children` of PostgreSQL. */
function admit(
  connection: Connection,
  { tenantId, limit }: Parameters<PlaceStore['admit']>[0],
): readonly AdmittedExecution[] {
  const tenant = connection.get<{ readonly places_max: number | null; readonly queues: number }>(
    `select limits ->> 'max_concurrent_executions' as places_max,
       limits ->> 'when_full' is 'queue' as queues
     from tenants
     where id = ? and status = 'active'`,
    [tenantId],
  );
  if (tenant === undefined) return [];
  if (
    tenant.places_max !== null &&
    (tenant.queues === 1 || hasWaitingStart(connection, tenantId))
  ) {
    connection.run(
      `insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
       select execution_id, tenant_id, null, shard, 'later', since
       from flow_waits w
       where tenant_id = ?
         and not exists (select 1 from child_places c where c.execution_id = w.execution_id)
       order by seq`,
      [tenantId],
    );
  }
  connection.run(
    `delete from child_places
     where tenant_id = ?
       and state = 'lent'
       and not exists (
         select 1
         from executions e
         where e.id = child_places.execution_id and e.status in ('running', 'paused')
       )`,
    [tenantId],
  );
  const borrowing = findBorrowing(connection, { tenantId, limit });
  for (const { executionId } of borrowing) {
    connection.run(`update child_places set state = 'lent' where execution_id = ?`, [executionId]);
  }
  const free =
    tenant.places_max === null ? limit : tenant.places_max - countTaken(connection, tenantId);
  const placed = findOldest(connection, { tenantId, limit: Math.min(limit, free) });
  for (const { executionId } of placed) {
    connection.run('delete from child_places where execution_id = ?', [executionId]);
  }
  const admitted = [...borrowing, ...placed.filter((one) => isLive(connection, one))];
  const now = connection.now();
  return admitted.map(({ executionId, shard, since }) => {
    markRunnable(connection, { executionId, shard });
    return { executionId, shard, waitedMs: now - since };
  });
}

/** The oldest child of each parent that lends its place to none. */
function findBorrowing(
  connection: Connection,
  params: { readonly tenantId: TenantId; readonly limit: number },
): readonly Waiting[] {
  return connection.all<Waiting>(
    `select execution_id as executionId, shard, since
     from (
       select execution_id, shard, since, min(seq)
       from child_places c
       where tenant_id = :tenant_id
         and state = 'waiting'
         and parent_execution_id is not null
         and not exists (
           select 1
           from child_places l
           where l.parent_execution_id = c.parent_execution_id and l.state = 'lent'
         )
       group by parent_execution_id
       limit :limit
     )`,
    { tenant_id: params.tenantId, limit: params.limit },
  );
}

function findOldest(
  connection: Connection,
  params: { readonly tenantId: TenantId; readonly limit: number },
): readonly Waiting[] {
  if (params.limit <= 0) return [];
  return connection.all<Waiting>(
    `select execution_id as executionId, shard, since
     from child_places
     where tenant_id = :tenant_id and state = 'waiting'
     order by seq
     limit :limit`,
    { tenant_id: params.tenantId, limit: params.limit },
  );
}

function hasWaitingStart(connection: Connection, tenantId: TenantId): boolean {
  const found = connection.get(
    `select 1
     from child_places
     where tenant_id = ? and state = 'waiting' and parent_execution_id is null
     limit 1`,
    [tenantId],
  );
  return found !== undefined;
}

function isLive(connection: Connection, { executionId }: Waiting): boolean {
  const live = connection.get(
    `select 1 from executions where id = ? and status in ('running', 'paused')`,
    [executionId],
  );
  return live !== undefined;
}

function countTaken(connection: Connection, tenantId: TenantId): number {
  const row = connection.get<{ readonly taken: number }>(
    `select count(*) as taken
     from executions e
     where e.tenant_id = ?
       and e.status in ('running', 'paused')
       and not exists (select 1 from child_places c where c.execution_id = e.id)`,
    [tenantId],
  );
  return row?.taken ?? 0;
}

function listTenants(connection: Connection): readonly TenantId[] {
  return connection
    .all<{ readonly tenant_id: TenantId }>(
      `select distinct tenant_id
       from child_places
       where state = 'waiting'`,
    )
    .map((row) => row.tenant_id);
}

function find(
  connection: Connection,
  executionId: ExecutionId,
): Awaited<ReturnType<PlaceStore['find']>> {
  const row = connection.get<{
    readonly since: number;
    readonly ahead: number;
    readonly places_max: number | null;
  }>(
    `select since, (
       select count(*)
       from (
         select 1
         from child_places o
         where o.tenant_id = c.tenant_id and o.state = 'waiting' and o.seq < c.seq
         limit :limit
       )
     ) as ahead, (
       select t.limits ->> 'max_concurrent_executions'
       from tenants t
       where t.id = c.tenant_id
     ) as places_max
     from child_places c
     where execution_id = :execution_id and state = 'waiting'`,
    { execution_id: executionId, limit: AHEAD_MAX },
  );
  if (row === undefined) return null;
  const { since, ahead, places_max: placesMax } = row;
  return { since: toIso(since), ahead, placesMax };
}
