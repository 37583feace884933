import type { Role } from '../domain/access.ts';
import type { TenantId } from '../domain/ids.ts';

export interface TokenStore {
  create(token: NewToken): Promise<TokenRow>;
  /** Also when expired or revoked: the caller judges by `expired` and `revokedAt`. */
  findByHash(hash: string): Promise<TokenRow | null>;
  /** Newest first. */
  list(params: ListTokens): Promise<readonly TokenRow[]>;
  count(params: { readonly tenantId: TenantId }): Promise<number>;
  /** Null when there is no such token; revoking twice changes nothing. */
  revoke(id: string, tenantId: TenantId, actorId: string): Promise<TokenRow | null>;
  /**
   * Makes `next` with name, role and lifetime of a token, and ends that one after `graceMs`, or
   * earlier where it expires earlier. `over`: it is revoked, expired or rotated already.
   */
  rotate(params: {
    readonly tokenId: string;
    readonly tenantId: TenantId;
    readonly next: { readonly tokenId: string; readonly hash: string };
    readonly graceMs: number;
    readonly actorId: string;
  }): Promise<{ readonly next: TokenRow; readonly old: TokenRow } | 'missing' | 'over'>;
  /** Notes that these tokens are in use; of each it is written once a minute. */
  noteUsed(tokenIds: readonly string[]): Promise<void>;
}

export interface ListTokens {
  readonly tenantId: TenantId;
  /** Only those that come after this one. */
  readonly after?: { readonly createdAt: string; readonly tokenId: string } | null;
  readonly limit: number;
  readonly offset: number;
}

export interface NewToken {
  readonly tokenId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  /** Lowercase hex SHA-256 of the plaintext. */
  readonly hash: string;
  /** Null: never expires. */
  readonly expiresInMs: number | null;
  /** The actor of its creation. */
  readonly actorId: string;
}

export interface TokenRow {
  readonly tokenId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** To the minute; null: never used. */
  readonly lastUsedAt: string | null;
  /** The token that took its place. */
  readonly replacedBy: string | null;
  /** By the database's clock, at the reading. */
  readonly expired: boolean;
}
