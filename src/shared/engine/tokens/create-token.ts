import { RESERVED_TOKEN_NAMES, type Role } from '../../domain/access.ts';
import { badRequest } from '../../domain/errors.ts';
import { formatToken, hashToken, TOKEN_BYTES } from '../../domain/token.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Store, TokenRow } from '../../store/store.ts';
import type { Caller } from '../caller.ts';

export interface TokenDeps {
  readonly store: Pick<Store, 'tokens'>;
  readonly ids: Ids;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
}

export interface CreateToken {
  /** Shown in events and the audit log as `token:<name>`. */
  readonly name: string;
  readonly role: Role;
  /** Null: never expires. */
  readonly expiresInMs: number | null;
}

export interface CreatedToken {
  readonly row: TokenRow;
  /** Known only here and now: the store has the hash alone. */
  readonly plaintext: string;
}

/** Makes a token and stores its hash. Throws a 400 for a name that built-in identities carry. */
export async function createToken(
  deps: TokenDeps,
  { tenantId, actorId }: Caller,
  { name, role, expiresInMs }: CreateToken,
): Promise<CreatedToken> {
  if (RESERVED_TOKEN_NAMES.includes(name)) {
    throw badRequest(`name: ${name} is reserved, choose another`);
  }
  const plaintext = formatToken(deps.randomBytes(TOKEN_BYTES));
  const row = await deps.store.tokens.create({
    tokenId: deps.ids.uuid(),
    tenantId,
    name,
    role,
    hash: hashToken(plaintext),
    expiresInMs,
    actorId,
  });
  return { row, plaintext };
}
