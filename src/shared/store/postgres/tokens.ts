import { sql } from 'slonik';
import { z } from 'zod';

import type { TenantId } from '../../domain/ids.ts';
import type { TokenRow, TokenStore } from '../store.ts';
import { appendAuditEntry, appendAuditOf } from './audit-append.ts';
import type { Management } from './management.ts';

const TokenRecord = z.object({
  token_id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  role: z.enum(['operator', 'developer', 'reviewer', 'viewer']),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  expired: z.boolean(),
});

const COLUMNS = sql.fragment`
  t.token_id, t.tenant_id, t.name, t.role, t.created_at, t.expires_at, t.revoked_at,
  coalesce(t.expires_at <= clock_timestamp(), false) as expired`;

export function createTokenStore(management: Management): TokenStore {
  return {
    async create(token) {
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
        { writes: true },
      );
      if (row === undefined) throw new Error('the new token was not returned');
      return decodeToken(row);
    },

    async findByHash(hash) {
      const [row] = await management.any(sql.type(TokenRecord)`
        select ${COLUMNS}
        from tokens t
        where t.hash = ${hash}`);
      return row === undefined ? null : decodeToken(row);
    },

    async list({ tenantId, limit, offset }) {
      const rows = await management.any(sql.type(TokenRecord)`
        select ${COLUMNS}
        from tokens t
        where t.tenant_id = ${tenantId}
        order by t.created_at desc, t.token_id desc
        limit ${limit}
        offset ${offset}`);
      return rows.map(decodeToken);
    },

    async revoke(id, tenantId, actorId) {
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
        { writes: true },
      );
      return row === undefined ? null : decodeToken(row);
    },
  };
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
    expired: row.expired,
  };
}
