import { notFound } from '../../domain/errors.ts';
import type { Wake } from '../../ports/wake.ts';
import type { Store, TokenRow } from '../../store/store.ts';
import type { Caller } from '../caller.ts';
import { tokenTopic } from '../wake/wake-bus.ts';

/** Throws 404 for an unknown token; revoking twice changes nothing. */
export async function revokeToken(
  { store, wake }: { readonly store: Pick<Store, 'tokens'>; readonly wake: Pick<Wake, 'notify'> },
  { tenantId, actorId }: Caller,
  { tokenId }: { readonly tokenId: string },
): Promise<TokenRow> {
  const row = await store.tokens.revoke(tokenId, tenantId, actorId);
  if (row === null) throw notFound(`token ${tokenId}`);
  wake.notify([tokenTopic(tokenId)]);
  return row;
}
