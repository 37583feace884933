import type { Store } from '../../store/store.ts';
import type { Reader } from '../caller.ts';

/** How many tokens the tenant has, revoked and expired ones included. */
export async function measureTokens(
  { store }: { readonly store: Pick<Store, 'tokens'> },
  { tenantId }: Reader,
): Promise<{ readonly total: number }> {
  return { total: await store.tokens.count({ tenantId }) };
}
