import { RESERVED_TOKEN_NAMES, type Role } from '../domain/access.ts';
import { badRequest } from '../domain/errors.ts';
import type { TenantId } from '../domain/ids.ts';
import type { Ids } from '../ports/ids.ts';
import type { TokenRow, TokenStore } from '../store/store.ts';
import { hashToken } from './token-hash.ts';

export interface MintToken {
  readonly tenantId: TenantId;
  /** Shown in events and the audit log as `token:<name>`. */
  readonly name: string;
  readonly role: Role;
  /** Null: never expires. */
  readonly expiresInMs: number | null;
  /** Who makes it. */
  readonly actorId: string;
}

export interface MintedToken {
  readonly row: TokenRow;
  /** Known only here and now: the store has the hash alone. */
  readonly plaintext: string;
}

/** Makes a token and stores its hash. Throws a 400 for a name that built-in identities carry. */
export async function mintToken(
  deps: {
    readonly tokens: TokenStore;
    readonly ids: Ids;
    /** Cryptographically random bytes. */
    readonly randomBytes: (count: number) => Uint8Array;
  },
  params: MintToken,
): Promise<MintedToken> {
  if (RESERVED_TOKEN_NAMES.includes(params.name)) {
    throw badRequest(`name: ${params.name} is reserved, choose another`);
  }
  const plaintext = newPlaintext(deps.randomBytes);
  const row = await deps.tokens.create({
    tokenId: deps.ids.uuid(),
    tenantId: params.tenantId,
    name: params.name,
    role: params.role,
    hash: hashToken(plaintext),
    expiresInMs: params.expiresInMs,
    actorId: params.actorId,
  });
  return { row, plaintext };
}

/** 256 random bits behind a prefix that scanners for leaked secrets can look for. */
export function newPlaintext(randomBytes: (count: number) => Uint8Array): string {
  return `svc_${Buffer.from(randomBytes(32)).toString('base64url')}`;
}

/** Whether a text can be a token of `mintToken` at all; spares a look-up for everything else. */
export function looksLikeToken(text: string): boolean {
  return /^svc_[A-Za-z0-9_-]{43}$/.test(text);
}
