import type { ListTokens, Store, TokenRow } from '../../store/store.ts';
import type { Reader } from '../caller.ts';

interface Deps {
  readonly store: Pick<Store, 'tokens'>;
}

/** Newest first, revoked and expired ones too. */
export function listTokens(
  { store }: Deps,
  { tenantId }: Reader,
  page: Omit<ListTokens, 'tenantId'>,
): Promise<readonly TokenRow[]> {
  return store.tokens.list({ ...page, tenantId });
}

export function countTokens({ store }: Deps, { tenantId }: Reader): Promise<number> {
  return store.tokens.count({ tenantId });
}
