import type { TenantId } from '../../domain/ids.ts';
import type { NewToken, Role, TokenRow, TokenStore } from '../store.ts';
import { appendAudit } from './audit-append.ts';
import type { Connection } from './connect.ts';
import { toIso, toIsoOrNull } from './rows.ts';

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) => connection.write(() => createToken(connection, token)),
    findByHash: (hash) => connection.read(() => findToken(connection, hash)),
    list: (params) => connection.read(() => listTokens(connection, params)),
    revoke: (id, tenantId, actorId) =>
      connection.write(() => revokeToken(connection, { id, tenantId, actorId })),
  };
}

const TOKEN_COLUMNS = 'token_id, tenant_id, name, role, created_at, expires_at, revoked_at';

interface RawToken {
  readonly token_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

function createToken(connection: Connection, token: NewToken): TokenRow {
  const now = connection.now();
  const row: RawToken = {
    token_id: token.tokenId,
    tenant_id: token.tenantId,
    name: token.name,
    role: token.role,
    created_at: now,
    expires_at: token.expiresInMs === null ? null : now + token.expiresInMs,
    revoked_at: null,
  };
  connection.run(
    `insert into tokens (${TOKEN_COLUMNS}, hash)
     values (
       :token_id, :tenant_id, :name, :role, :created_at, :expires_at, :revoked_at, :hash
     )`,
    { ...row, hash: token.hash },
  );
  appendAudit(connection, {
    tenantId: token.tenantId,
    executionId: null,
    eventType: 'token_created',
    actorId: token.actorId,
    payload: { token_id: token.tokenId, name: token.name, role: token.role },
  });
  return toToken(row, now);
}

function findToken(connection: Connection, hash: string): TokenRow | null {
  const row = connection.get<RawToken>(
    `select ${TOKEN_COLUMNS}
     from tokens
     where hash = :hash`,
    { hash },
  );
  return row === undefined ? null : toToken(row, connection.now());
}

function listTokens(
  connection: Connection,
  params: Parameters<TokenStore['list']>[0],
): readonly TokenRow[] {
  const now = connection.now();
  return connection
    .all<RawToken>(
      `select ${TOKEN_COLUMNS}
       from tokens
       where tenant_id = :tenant_id
       order by created_at desc, token_id desc
       limit :limit offset :offset`,
      { tenant_id: params.tenantId, limit: params.limit, offset: params.offset },
    )
    .map((row) => toToken(row, now));
}

function revokeToken(
  connection: Connection,
  params: { readonly id: string; readonly tenantId: TenantId; readonly actorId: string },
): TokenRow | null {
  const { id, tenantId, actorId } = params;
  const now = connection.now();
  const isValid = connection.get(
    'select 1 from tokens where token_id = :id and tenant_id = :tenant_id and revoked_at is null',
    { id, tenant_id: tenantId },
  );
  const row = connection.get<RawToken>(
    `update tokens
     set revoked_at = coalesce(revoked_at, :now)
     where token_id = :id and tenant_id = :tenant_id
     returning ${TOKEN_COLUMNS}`,
    { id, tenant_id: tenantId, now },
  );
  if (row === undefined) return null;
  if (isValid !== undefined) {
    appendAudit(connection, {
      tenantId,
      executionId: null,
      eventType: 'token_revoked',
      actorId,
      payload: { token_id: id, name: row.name },
    });
  }
  return toToken(row, now);
}

function toToken(row: RawToken, now: number): TokenRow {
  return {
    tokenId: row.token_id,
    tenantId: row.tenant_id as TenantId,
    name: row.name,
    role: row.role,
    createdAt: toIso(row.created_at),
    expiresAt: toIsoOrNull(row.expires_at),
    revokedAt: toIsoOrNull(row.revoked_at),
    expired: row.expires_at !== null && row.expires_at <= now,
  };
}
