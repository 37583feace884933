import { sql } from 'slonik';
import { z } from 'zod';

import type { TenantId } from '../../../domain/ids.ts';
import type { Policy } from '../../../domain/policy/policy.ts';
import { TENANT_STATUSES, type TenantLimits } from '../../../domain/tenant.ts';
import { namedIn, type TenantRow, type TenantStore } from '../../tenants.ts';
import { appendAuditEntry } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const CountRecord = z.object({ count: z.number() });

const TenantRecord = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(TENANT_STATUSES),
  policy: z.string(),
  limits: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

const COLUMNS = sql.fragment`
  t.id, t.name, t.status, t.policy, t.limits, t.created_at, t.updated_at`;

export function createTenantStore(management: Management): TenantStore {
  return {
    create: (params) => createTenant(management, params),
    find: (tenantId) => findTenant(management, tenantId),
    list: (params) => listTenants(management, params),
    count: () => countTenants(management),
    update: (tenantId, changes) => updateTenant(management, tenantId, changes),
  };
}

async function createTenant(
  management: Management,
  { tenantId, name, actorId }: Parameters<TenantStore['create']>[0],
): ReturnType<TenantStore['create']> {
  const [row] = await management.any(
    sql.type(TenantRecord)`
      with made as (
        insert into tenants as t (id, name)
        values (${tenantId}, ${name})
        on conflict (id) do nothing
        returning ${COLUMNS}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'tenant_created',
          actorId,
          payload: { name },
        },
        sql.fragment`made`,
      )})
      select * from made`,
    { writes: true },
  );
  return row === undefined ? null : decodeTenant(row);
}

async function findTenant(
  management: Management,
  tenantId: Parameters<TenantStore['find']>[0],
): ReturnType<TenantStore['find']> {
  const [row] = await management.any(sql.type(TenantRecord)`
    select ${COLUMNS}
    from tenants t
    where t.id = ${tenantId}`);
  return row === undefined ? null : decodeTenant(row);
}

async function listTenants(
  management: Management,
  { after = null, limit, offset }: Parameters<TenantStore['list']>[0],
): ReturnType<TenantStore['list']> {
  const rows = await management.any(sql.type(TenantRecord)`
    select ${COLUMNS}
    from tenants t
    where ${after}::text is null
      or t.id > ${after}
    order by t.id
    limit ${limit}
    offset ${offset}`);
  return rows.map(decodeTenant);
}

async function countTenants(management: Management): ReturnType<TenantStore['count']> {
  const [row] = await management.any(
    sql.type(CountRecord)`select count(*)::int as count from tenants`,
  );
  return row?.count ?? 0;
}

async function updateTenant(
  management: Management,
  tenantId: Parameters<TenantStore['update']>[0],
  { actorId, ...changes }: Parameters<TenantStore['update']>[1],
): ReturnType<TenantStore['update']> {
  const { name, status, policy, limits } = changes;
  const [row] = await management.any(
    sql.type(TenantRecord)`
      with changed as (
        update tenants t
        set name = coalesce(${name}, t.name),
          status = coalesce(${status}, t.status),
          policy = coalesce(${textOf(policy)}::json, t.policy),
          limits = coalesce(${textOf(limits)}::json, t.limits),
          updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), t.updated_at)
        where t.id = ${tenantId}
        returning ${COLUMNS}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'tenant_updated',
          actorId,
          payload: namedIn(changes),
        },
        sql.fragment`changed`,
      )})
      select * from changed`,
    { writes: true },
  );
  return row === undefined ? null : decodeTenant(row);
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function decodeTenant(row: z.infer<typeof TenantRecord>): TenantRow {
  return {
    tenantId: row.id as TenantId,
    name: row.name,
    status: row.status,
    policy: JSON.parse(row.policy) as Policy,
    limits: JSON.parse(row.limits) as TenantLimits,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
