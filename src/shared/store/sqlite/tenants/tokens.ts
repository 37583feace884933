import type { TenantId } from '../../../domain/ids.ts';
import type { NewToken, TokenRow, TokenStore } from '../../tokens.ts';
import type { Role } from '../../../domain/access.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) => connection.write(() => createToken(connection, token)),
    findByHash: (hash) => connection.read(() => findToken(connection, hash)),
    list: (params) => connection.read(() => listTokens(connection, params)),
    count: ({ tenantId }) =>
      connection.read(() => {
        const row = connection.get<{ readonly count: number }>(
          'select count(*) as count from tokens where tenant_id = :tenant_id',
          { tenant_id: tenantId },
        );
        return row?.count ?? 0;
      }),
    revoke: (id, tenantId, actorId) =>
      connection.write(() => revokeToken(connection, { id, tenantId, actorId })),
    rotate: (params) => connection.write(() => rotateToken(connection, params)),
    noteUsed: (tokenIds) => connection.write(() => noteUsed(connection, tokenIds)),
  };
}

const TOKEN_COLUMNS = `token_id, tenant_id, name, role, created_at, expires_at, revoked_at,
  last_used_at, replaced_by`;

interface RawToken {
  readonly token_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly role: Role;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly replaced_by: string | null;
}

function createToken(connection: Connection, token: NewToken): TokenRow {
  const made = insertToken(connection, token, connection.now());
  appendAudit(connection, {
    tenantId: token.tenantId,
    executionId: null,
    eventType: 'token_created',
    actorId: token.actorId,
    payload: { token_id: token.tokenId, name: token.name, role: token.role },
  });
  return made;
}

function insertToken(
  connection: Connection,
  token: Omit<NewToken, 'actorId'>,
  now: number,
): TokenRow {
  const row: RawToken = {
    token_id: token.tokenId,
    tenant_id: token.tenantId,
    name: token.name,
    role: token.role,
    created_at: now,
    expires_at: token.expiresInMs === null ? null : now + token.expiresInMs,
    revoked_at: null,
    last_used_at: null,
    replaced_by: null,
  };
  connection.run(
    `insert into tokens (${TOKEN_COLUMNS}, hash)
     values (
       :token_id, :tenant_id, :name, :role, :created_at, :expires_at, :revoked_at, :last_used_at,
       :replaced_by, :hash
     )`,
    { ...row, hash: token.hash },
  );
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
         and (:after_id is null or (created_at, token_id) < (:after_at, :after_id))
       order by created_at desc, token_id desc
       limit :limit offset :offset`,
      {
        tenant_id: params.tenantId,
        after_at: params.after ? Date.parse(params.after.createdAt) : null,
        after_id: params.after?.tokenId ?? null,
        limit: params.limit,
        offset: params.offset,
      },
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

function rotateToken(
  connection: Connection,
  params: Parameters<TokenStore['rotate']>[0],
): Awaited<ReturnType<TokenStore['rotate']>> {
  const { tokenId, tenantId, next, graceMs, actorId } = params;
  const now = connection.now();
  const found = connection.get<RawToken>(
    `select ${TOKEN_COLUMNS}
     from tokens
     where token_id = :id and tenant_id = :tenant_id`,
    { id: tokenId, tenant_id: tenantId },
  );
  if (found === undefined) return 'missing';
  const { expires_at: expiresAt, name, role } = found;
  const isOver = expiresAt !== null && expiresAt <= now;
  if (isOver || found.revoked_at !== null || found.replaced_by !== null) return 'over';
  const expiresInMs = expiresAt === null ? null : expiresAt - found.created_at;
  const made = insertToken(connection, { ...next, tenantId, name, role, expiresInMs }, now);
  const old: RawToken = {
    ...found,
    replaced_by: next.tokenId,
    revoked_at: graceMs === 0 ? now : null,
    expires_at: graceMs === 0 ? expiresAt : Math.min(expiresAt ?? Infinity, now + graceMs),
  };
  connection.run(
    `update tokens
     set replaced_by = :replaced_by,
         revoked_at = :revoked_at,
         expires_at = :expires_at
     where token_id = :id`,
    {
      id: tokenId,
      replaced_by: old.replaced_by,
      revoked_at: old.revoked_at,
      expires_at: old.expires_at,
    },
  );
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'token_rotated',
    actorId,
    payload: { token_id: tokenId, name, replaced_by: next.tokenId },
  });
  return { next: made, old: toToken(old, now) };
}

function noteUsed(connection: Connection, tokenIds: readonly string[]): void {
  connection.run(
    `update tokens
     set last_used_at = :now
     where token_id in (select value from json_each(:ids))
       and (last_used_at is null or last_used_at <= :now - 60000)`,
    { ids: JSON.stringify(tokenIds), now: connection.now() },
  );
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
    lastUsedAt: toIsoOrNull(row.last_used_at),
    replacedBy: row.replaced_by,
    expired: row.expires_at !== null && row.expires_at <= now,
  };
}
