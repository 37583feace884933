import { conflict, notFound } from '../../domain/errors.ts';
import { formatToken, hashToken, TOKEN_BYTES } from '../../domain/token.ts';
import type { Wake } from '../../ports/wake.ts';
import type { TokenRow } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import { tokenTopic } from '../wake/wake-bus.ts';
import type { CreatedToken, TokenDeps } from './create-token.ts';

/** Long enough for any roll-out, short enough not to become a habit. */
export const GRACE_SECONDS_MAX = 30 * 24 * 3600;

/**
 * Replaces a token by a new one of the same name, role, tenant and lifetime. The old one becomes
 * invalid at once, or after a grace in which both are accepted, so that clients can be given the new
 * one first. Throws 404 for an unknown token, 409 for one that is over or was rotated before.
 */
export async function rotateToken(
  deps: TokenDeps & { readonly wake: Pick<Wake, 'notify'> },
  { tenantId, actorId }: Caller,
  params: {
    readonly tokenId: string;
    /** 0: the old one is revoked at once. */
    readonly graceMs: number;
  },
): Promise<CreatedToken & { readonly old: TokenRow }> {
  const { tokenId, graceMs } = params;
  const plaintext = formatToken(deps.randomBytes(TOKEN_BYTES));
  const rotated = await deps.store.tokens.rotate({
    tokenId,
    tenantId,
    graceMs,
    actorId,
    next: { tokenId: deps.ids.uuid(), hash: hashToken(plaintext) },
  });
  if (rotated === 'missing') throw notFound(`token ${tokenId}`);
  if (rotated === 'over') {
    throw conflict(`token ${tokenId} is revoked, expired or rotated already; create a new one`);
  }
  deps.wake.notify([tokenTopic(tokenId)]);
  return { row: rotated.next, old: rotated.old, plaintext };
}
