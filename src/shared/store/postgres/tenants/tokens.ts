import { sql } from 'slonik';
import { z } from 'zod';

import { ROLES } from '../../../domain/access.ts';
import type { TenantId } from '../../../domain/ids.ts';
import type { TokenRow, TokenStore } from '../../tokens.ts';
import { appendAuditEntry, appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';

const CountRecord = z.object({ count: z.number() });

const TokenRecord = z.object({
  token_id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  replaced_by: z.string().nullable(),
  expired: z.boolean(),
});

const RotatedRecord = TokenRecord.extend({ part: z.enum(['next', 'old', 'found']) });
const NoRecord = z.object({});

const COLUMNS = sql.fragment`
  t.token_id, t.tenant_id, t.name, t.role, t.created_at, t.expires_at, t.revoked_at,
  t.last_used_at, t.replaced_by,
  coalesce(t.expires_at <= clock_timestamp(), false) as expired`;

export function createTokenStore(management: Management): TokenStore {
  return {
    create: (token) => createToken(management, token),
    findByHash: (hash) => findToken(management, hash),
    list: (params) => listTokens(management, params),
    count: (params) => countTokens(management, params),
    revoke: (id, tenantId, actorId) => revokeToken(management, { id, tenantId, actorId }),
    rotate: (params) => rotate(management, params),
    noteUsed: (tokenIds) => noteUsed(management, tokenIds),
  };
}

async function createToken(
  management: Management,
  token: Parameters<TokenStore['create']>[0],
): ReturnType<TokenStore['create']> {
  const [row] = await management.any(
    sql.type(TokenRecord)`
      with added as (
        insert into tokens as t (
          token_id, tenant_id, name, role, hash, created_at, expires_at
        )
        select ${token.tokenId}, ${token.tenantId}, ${token.name}, ${token.role}, ${token.hash},
          c.stamp, c.stamp + ${token.expiresInMs}::int8 * interval '1 millisecond'
        from (select date_trunc('milliseconds', clock_timestamp()) as stamp offset 0) c
        returning ${COLUMNS}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId: token.tenantId,
          executionId: null,
          eventType: 'token_created',
          actorId: token.actorId,
          payload: { token_id: token.tokenId, name: token.name, role: token.role },
        },
        sql.fragment`added`,
      )})
      select * from added`,
    { writes: true, tenant: token.tenantId },
  );
  if (row === undefined) throw new Error('the new token was not returned');
  return decodeToken(row);
}

async function findToken(
  management: Management,
  hash: Parameters<TokenStore['findByHash']>[0],
): ReturnType<TokenStore['findByHash']> {
  const [row] = await management.any(sql.type(TokenRecord)`
    select ${COLUMNS}
    from tokens t
    where t.hash = ${hash}`);
  return row === undefined ? null : decodeToken(row);
}

async function listTokens(
  management: Management,
  { tenantId, after = null, limit, offset }: Parameters<TokenStore['list']>[0],
): ReturnType<TokenStore['list']> {
  const rows = await management.any(
    sql.type(TokenRecord)`
      select ${COLUMNS}
      from tokens t
      where t.tenant_id = ${tenantId}
        and (
          ${after?.tokenId ?? null}::text is null
          or (t.created_at, t.token_id)
            < (${after?.createdAt ?? null}::timestamptz, ${after?.tokenId ?? null}::text)
        )
      order by t.created_at desc, t.token_id desc
      limit ${limit}
      offset ${offset}`,
    { tenant: tenantId },
  );
  return rows.map(decodeToken);
}

async function countTokens(
  management: Management,
  { tenantId }: Parameters<TokenStore['count']>[0],
): ReturnType<TokenStore['count']> {
  const [row] = await management.any(
    sql.type(CountRecord)`
      select count(*)::int as count
      from tokens t
      where t.tenant_id = ${tenantId}`,
    { tenant: tenantId },
  );
  return row?.count ?? 0;
}

async function revokeToken(
  management: Management,
  {
    id,
    tenantId,
    actorId,
  }: {
    readonly id: Parameters<TokenStore['revoke']>[0];
    readonly tenantId: Parameters<TokenStore['revoke']>[1];
    readonly actorId: Parameters<TokenStore['revoke']>[2];
  },
): ReturnType<TokenStore['revoke']> {
  const [row] = await management.any(
    sql.type(TokenRecord)`
      with valid as materialized (
        select t.token_id
        from tokens t
        where t.token_id = ${id}
          and t.tenant_id = ${tenantId}
          and t.revoked_at is null
        for update
      ),
      revoked as (
        update tokens t
        set revoked_at = coalesce(
          t.revoked_at, date_trunc('milliseconds', clock_timestamp())
        )
        where t.token_id = ${id}
          and t.tenant_id = ${tenantId}
          and (select count(*) from valid) >= 0
        returning ${COLUMNS}
      ),
      audited as (${appendAuditOf(
        { tenantId, executionId: null, eventType: 'token_revoked', actorId },
        {
          payload: sql.fragment`json_build_object('token_id', r.token_id, 'name', r.name)`,
          from: sql.fragment`revoked r where exists (select from valid)`,
        },
      )})
      select * from revoked`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : decodeToken(row);
}

async function noteUsed(
  management: Management,
  tokenIds: Parameters<TokenStore['noteUsed']>[0],
): ReturnType<TokenStore['noteUsed']> {
  if (tokenIds.length === 0) return;
  // A statement that holds the lock of a row notes the same use.
  await management.any(
    sql.type(NoRecord)`
      update tokens t
      set last_used_at = date_trunc('milliseconds', clock_timestamp())
      where t.token_id = any(array(
        select u.token_id
        from tokens u
        where u.token_id = any(${sql.array([...tokenIds], 'text')})
          and (
            u.last_used_at is null
            or u.last_used_at <= clock_timestamp() - interval '1 minute'
          )
        order by u.token_id
        for update skip locked
      ))`,
    { writes: true },
  );
}

/** The token is locked first: of many rotations at once, the others find it rotated. */
async function rotate(
  management: Management,
  params: Parameters<TokenStore['rotate']>[0],
): ReturnType<TokenStore['rotate']> {
  const { tokenId, tenantId, next, graceMs, actorId } = params;
  const rows = await management.any(
    sql.type(RotatedRecord)`
      with found as materialized (
        select t.token_id, t.tenant_id, t.name, t.role, t.created_at, t.expires_at, t.revoked_at,
          t.replaced_by
        from tokens t
        where t.token_id = ${tokenId}
          and t.tenant_id = ${tenantId}
        for update
      ),
      clock as materialized (
        select date_trunc('milliseconds', clock_timestamp()) as stamp
        from (select count(*) as locks from found offset 0) waited
        where waited.locks >= 0
      ),
      valid as materialized (
        select f.token_id, f.tenant_id, f.name, f.role, c.stamp, c.stamp
          + (f.expires_at - f.created_at) as next_expires_at
        from found f
        cross join clock c
        where f.revoked_at is null
          and f.replaced_by is null
          and (f.expires_at is null or f.expires_at > c.stamp)
      ),
      made as (
        insert into tokens as t (
          token_id, tenant_id, name, role, hash, created_at, expires_at
        )
        select ${next.tokenId}, v.tenant_id, v.name, v.role, ${next.hash}, v.stamp,
          v.next_expires_at
        from valid v
        returning ${COLUMNS}
      ),
      ended as (
        update tokens t
        set replaced_by = ${next.tokenId},
          revoked_at = case when ${graceMs}::int8 = 0 then v.stamp end,
          expires_at = case
            when ${graceMs}::int8 = 0 then t.expires_at
            else least(t.expires_at, v.stamp + ${graceMs}::int8 * interval '1 millisecond')
          end
        from valid v
        where t.token_id = v.token_id
        returning ${COLUMNS}
      ),
      audited as (${appendAuditOf(
        { tenantId, executionId: null, eventType: 'token_rotated', actorId },
        {
          payload: sql.fragment`json_build_object(
            'token_id', e.token_id, 'name', e.name, 'replaced_by', e.replaced_by
          )`,
          from: sql.fragment`ended e`,
        },
      )})
      select 'next' as part, m.*
      from made m
      union all
      select 'old' as part, e.*
      from ended e
      union all
      select 'found' as part, ${COLUMNS}
      from tokens t
      where t.token_id = any(array(select f.token_id from found f))`,
    { writes: true, tenant: tenantId },
  );
  const made = rows.find(({ part }) => part === 'next');
  const ended = rows.find(({ part }) => part === 'old');
  if (made !== undefined && ended !== undefined) {
    return { next: decodeToken(made), old: decodeToken(ended) };
  }
  return rows.length === 0 ? 'missing' : 'over';
}

function decodeToken(row: z.infer<typeof TokenRecord>): TokenRow {
  return {
    tokenId: row.token_id,
    tenantId: row.tenant_id as TenantId,
    name: row.name,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    replacedBy: row.replaced_by,
    expired: row.expired,
  };
}
