import type { TenantId } from '../../../domain/ids.ts';
import type { Policy } from '../../../domain/policy/policy.ts';
import type { TenantLimits, TenantStatus } from '../../../domain/tenant.ts';
import { namedIn, type TenantChanges, type TenantRow, type TenantStore } from '../../tenants.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export function createTenantStore(connection: Connection): TenantStore {
  return {
    create: (params) => connection.write(() => createTenant(connection, params)),
    find: (tenantId) => connection.read(() => findTenant(connection, tenantId)),
    list: (params) => connection.read(() => listTenants(connection, params)),
    count: () =>
      connection.read(() => {
        const sql = 'select count(*) as count from tenants';
        return connection.get<{ readonly count: number }>(sql)?.count ?? 0;
      }),
    update: (tenantId, changes) =>
      connection.write(() => updateTenant(connection, tenantId, changes)),
  };
}

const TENANT_COLUMNS = 'id, name, status, policy, limits, created_at, updated_at';

interface RawTenant {
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  readonly policy: string;
  readonly limits: string;
  readonly created_at: number;
  readonly updated_at: number;
}

function createTenant(
  connection: Connection,
  params: Parameters<TenantStore['create']>[0],
): TenantRow | null {
  const row = connection.get<RawTenant>(
    `insert into tenants (id, name, created_at, updated_at)
     values (:id, :name, :now, :now)
     on conflict (id) do nothing
     returning ${TENANT_COLUMNS}`,
    { id: params.tenantId, name: params.name, now: connection.now() },
  );
  if (row === undefined) return null;
  const { tenantId, name, actorId } = params;
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'tenant_created',
    actorId,
    payload: { name },
  });
  return toTenant(row);
}

function findTenant(connection: Connection, tenantId: TenantId): TenantRow | null {
  const row = connection.get<RawTenant>(
    `select ${TENANT_COLUMNS}
     from tenants
     where id = :id`,
    { id: tenantId },
  );
  return row === undefined ? null : toTenant(row);
}

function listTenants(
  connection: Connection,
  params: Parameters<TenantStore['list']>[0],
): readonly TenantRow[] {
  return connection
    .all<RawTenant>(
      `select ${TENANT_COLUMNS}
       from tenants
       where :after is null or id > :after
       order by id
       limit :limit offset :offset`,
      { after: params.after ?? null, limit: params.limit, offset: params.offset },
    )
    .map(toTenant);
}

function updateTenant(
  connection: Connection,
  tenantId: TenantId,
  { actorId, ...changes }: TenantChanges & { readonly actorId: string },
): TenantRow | null {
  const row = connection.get<RawTenant>(
    `update tenants
     set name = coalesce(:name, name),
         status = coalesce(:status, status),
         policy = coalesce(:policy, policy),
         limits = coalesce(:limits, limits),
         updated_at = max(:now, updated_at)
     where id = :id
     returning ${TENANT_COLUMNS}`,
    {
      id: tenantId,
      name: changes.name,
      status: changes.status,
      policy: changes.policy === null ? null : JSON.stringify(changes.policy),
      limits: changes.limits === null ? null : JSON.stringify(changes.limits),
      now: connection.now(),
    },
  );
  if (row === undefined) return null;
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'tenant_updated',
    actorId,
    payload: namedIn(changes),
  });
  return toTenant(row);
}

function toTenant(row: RawTenant): TenantRow {
  return {
    tenantId: row.id as TenantId,
    name: row.name,
    status: row.status,
    policy: JSON.parse(row.policy) as Policy,
    limits: JSON.parse(row.limits) as TenantLimits,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}
