import { notFound } from '../../domain/errors.ts';
import type { Store, TokenRow } from '../../store/store.ts';
import type { Caller } from '../caller.ts';

/** Throws 404 for an unknown token; revoking twice changes nothing. */
export async function revokeToken(
  { store }: { readonly store: Pick<Store, 'tokens'> },
  { tenantId, actorId }: Caller,
  { tokenId }: { readonly tokenId: string },
): Promise<TokenRow> {
  const row = await store.tokens.revoke(tokenId, tenantId, actorId);
  if (row === null) throw notFound(`token ${tokenId}`);
  return row;
}
