import { BoundedMap } from '../../domain/bounded-map.ts';
import { API_KEY_NAME } from '../../domain/access.ts';
import { DEFAULT_TENANT } from '../../domain/ids.ts';
import type { TokenRow, TokenStore } from '../../store/store.ts';
import type { BearerScheme } from '../authenticator.ts';
import { hashToken, looksLikeToken } from '../../domain/token.ts';
import { equalHashes } from '../equal-hashes.ts';

/**
 * Stored tokens, and the configured API key.
 *
 * Accepted tokens are remembered for a few seconds, so that a busy client costs one look-up per
 * TTL and not one per request. A revocation in this process calls `forget` and holds at once, and so
 * does the hint about a revocation elsewhere. If the hint is lost, such a token is still accepted
 * for at most that long. Unknown tokens are never remembered: a fresh token works immediately, and
 * guesses evict nobody.
 */
export interface StoredTokens extends BearerScheme {
  /** Forgets all cached tokens. */
  forget(): void;
  /** Whether the token is cached, or may be: a look-up under way does not say whose it is. */
  remembers(tokenId: string): boolean;
}

export const REMEMBER_MS = 3_000;
export const REMEMBERED_MAX = 10_000;

export function createStoredTokens(params: {
  readonly tokens: Pick<TokenStore, 'findByHash'>;
  /** SVC_AUTH_API_KEY: an operator of the default tenant. Null: not set. */
  readonly apiKey: string | null;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** A stored token was accepted. */
  readonly onUse?: (tokenId: string) => void;
}): StoredTokens {
  const { tokens, now } = params;
  const apiKeyHash = params.apiKey === null ? null : hashToken(params.apiKey);
  const remembered = new BoundedMap<string, Remembered>(REMEMBERED_MAX);

  return {
    recognises: (token) => looksLikeToken(token) || isApiKey(hashToken(token)),

    async identify(token) {
      const hash = hashToken(token);
      if (isApiKey(hash)) {
        return { tenantId: DEFAULT_TENANT, role: 'operator', tokenName: API_KEY_NAME };
      }
      if (!looksLikeToken(token)) return null;
      const row = await findToken(hash);
      if (row === null || row.expired || row.revokedAt !== null) return null;
      params.onUse?.(row.tokenId);
      return {
        tenantId: row.tenantId,
        role: row.role,
        tokenName: row.name,
        tokenId: row.tokenId,
      };
    },

    forget() {
      // All of them: a look-up under way now may have read the row before it was revoked.
      remembered.clear();
    },

    remembers: (tokenId) =>
      remembered.values().some((known) => known.tokenId === null || known.tokenId === tokenId),
  };

  function isApiKey(hash: string): boolean {
    return apiKeyHash !== null && equalHashes(hash, apiKeyHash);
  }

  /** Requests that arrive together with the same token share one look-up. */
  function findToken(hash: string): Promise<TokenRow | null> {
    const known = remembered.get(hash);
    if (known !== undefined && now() - known.at < REMEMBER_MS) return known.row;
    const row = tokens.findByHash(hash);
    const entry: Remembered = { at: now(), row, tokenId: null };
    remembered.set(hash, entry);
    const drop = () => {
      if (remembered.get(hash) === entry) remembered.delete(hash);
    };
    row.then((found) => {
      if (found === null) drop();
      else entry.tokenId = found.tokenId;
    }, drop);
    return row;
  }
}

interface Remembered {
  readonly at: number;
  readonly row: Promise<TokenRow | null>;
  /** Null: the look-up is under way. */
  tokenId: string | null;
}
