import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { AdmittedExecution } from '../../flow.ts';
import { AHEAD_MAX, type PlaceStore, type WaitBounds } from '../../places.ts';
import type { Connection } from '../connection/connect.ts';
import { markRunnable } from './mark-runnable.ts';
import { toIso } from '../rows.ts';

export function createPlaceStore(connection: Connection): PlaceStore {
  return {
    admit: (params) => connection.write(() => admit(connection, params)),
    listTenants: () => connection.read(() => listTenants(connection)),
    find: (executionId, bounds) => connection.read(() => find(connection, executionId, bounds)),
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
    listLater(connection, tenantId);
  }
  connection.run(FORGET_LENT, { tenant_id: tenantId });
  const borrowing = findBorrowing(connection, { tenantId, limit });
  for (const { executionId } of borrowing) {
    connection.run(`update child_places set state = 'lent' where execution_id = ?`, [executionId]);
  }
  const free =
    tenant.places_max === null
      ? limit
      : tenant.places_max - countTaken(connection, { tenantId, limit: tenant.places_max });
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

/** Executions that wait for their key and have no row in the line yet. */
function listLater(connection: Connection, tenantId: TenantId): void {
  connection.run(LIST_LATER, { tenant_id: tenantId });
  connection.run(NOTE_LISTED, { tenant_id: tenantId });
}

/** Read by the test of plans, like the statements below. */
export const LIST_LATER = `
  insert into child_places (execution_id, tenant_id, parent_execution_id, shard, state, since)
  select execution_id, tenant_id, null, shard, 'later', since
  from flow_waits
  where tenant_id = :tenant_id and in_line = 0
  order by seq
  on conflict (execution_id) do nothing`;

export const NOTE_LISTED = `
  update flow_waits
  set in_line = 1
  where tenant_id = :tenant_id and in_line = 0`;

export const FORGET_LENT = `
  delete from child_places
  where tenant_id = :tenant_id
    and state = 'lent'
    and not exists (
      select 1
      from executions e
      where e.id = child_places.execution_id and e.status in ('running', 'paused')
    )`;

/**
 * The oldest child of each parent that lends its place to none: from one parent to the next by the index,
 * however many children of each wait.
 */
function findBorrowing(
  connection: Connection,
  params: { readonly tenantId: TenantId; readonly limit: number },
): readonly Waiting[] {
  const { tenantId, limit } = params;
  return connection.all<Waiting>(FIND_BORROWING, { tenant_id: tenantId, limit });
}

export const FIND_BORROWING = `
  with recursive parents (id) as (
    select min(parent_execution_id)
    from child_places
    where tenant_id = :tenant_id
      and state = 'waiting'
      and parent_execution_id is not null
    union all
    select (
      select min(c.parent_execution_id)
      from child_places c
      where c.tenant_id = :tenant_id
        and c.state = 'waiting'
        and c.parent_execution_id is not null
        and c.parent_execution_id > parents.id
    )
    from parents
    where parents.id is not null
  )
  select c.execution_id as executionId, c.shard, c.since
  from parents
  join child_places c on c.seq = (
    select min(seq)
    from child_places o
    where o.tenant_id = :tenant_id
      and o.state = 'waiting'
      and o.parent_execution_id is not null
      and o.parent_execution_id = parents.id
  )
  where parents.id is not null
    and not exists (
      select 1
      from child_places l
      where l.parent_execution_id = parents.id and l.state = 'lent'
    )
  limit :limit`;

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

/**
 * Counted to the limit. Those that have places began first, as a rule: so a look at a full tenant ends before
 * those that wait.
 */
function countTaken(
  connection: Connection,
  params: { readonly tenantId: TenantId; readonly limit: number },
): number {
  const { tenantId, limit } = params;
  const row = connection.get<{ readonly taken: number }>(COUNT_TAKEN, {
    tenant_id: tenantId,
    limit,
  });
  return row?.taken ?? 0;
}

const liveOf = (status: string) => `
      select *
      from (
        select e.id
        from executions e
        where e.tenant_id = :tenant_id and e.status = '${status}'
        order by e.created_at, e.id
      )`;

export const COUNT_TAKEN = `
  select count(*) as taken
  from (
    select 1
    from (${liveOf('paused')}
      union all ${liveOf('running')}
    ) e
    where not exists (select 1 from child_places c where c.execution_id = e.id)
    limit :limit
  )`;

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
  { aheadMax }: WaitBounds = { aheadMax: AHEAD_MAX },
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
    { execution_id: executionId, limit: aheadMax },
  );
  if (row === undefined) return null;
  const { since, ahead, places_max: placesMax } = row;
  return { since: toIso(since), ahead, placesMax };
}
