import { conflict, notFound } from '../domain/errors.ts';
import type { TenantId } from '../domain/ids.ts';
import type { Ids } from '../ports/ids.ts';
import type { TokenRow, TokenStore } from '../store/store.ts';
import { newPlaintext, type MintedToken } from './mint-token.ts';
import { hashToken } from './token-hash.ts';

/** Long enough for any roll-out, short enough not to become a habit. */
export const GRACE_SECONDS_MAX = 30 * 24 * 3600;

/**
 * Puts a new token of the same name, role, tenant and lifetime in the place of one. The old one is
 * invalid at once, or after a grace in which both are accepted, so that clients can be given the new
 * one first. Throws 404 for an unknown token, 409 for one that is over or was rotated before.
 */
export async function rotateToken(
  deps: {
    readonly tokens: TokenStore;
    readonly ids: Ids;
    /** Cryptographically random bytes. */
    readonly randomBytes: (count: number) => Uint8Array;
  },
  params: {
    readonly tokenId: string;
    readonly tenantId: TenantId;
    /** 0: the old one is revoked at once. */
    readonly graceMs: number;
    /** Who asked for it, for the audit log. */
    readonly actorId: string;
  },
): Promise<MintedToken & { readonly old: TokenRow }> {
  const { tokenId } = params;
  const plaintext = newPlaintext(deps.randomBytes);
  const rotated = await deps.tokens.rotate({
    ...params,
    next: { tokenId: deps.ids.uuid(), hash: hashToken(plaintext) },
  });
  if (rotated === 'missing') throw notFound(`token ${tokenId}`);
  if (rotated === 'over') {
    throw conflict(`token ${tokenId} is revoked, expired or rotated already; create a new one`);
  }
  return { row: rotated.next, old: rotated.old, plaintext };
}
