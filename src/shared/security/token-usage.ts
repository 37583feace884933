import type { TokenStore } from '../store/store.ts';

/**
 * Keeps `last_used_at` of tokens within a minute of the truth without a write per request: uses are
 * gathered for a few seconds and written together, and no token is written twice a minute, however
 * many processes see it. Losing some in a crash is of no consequence.
 */
export interface TokenUsage {
  note(tokenId: string): void;
  /** Writes what is gathered; never rejects. */
  flush(): Promise<void>;
}

export const GATHER_MS = 5_000;
/** The store's own rule is the same. */
export const WRITE_EVERY_MS = 60_000;
const REMEMBERED_MAX = 10_000;

export function createTokenUsage(deps: {
  readonly tokens: Pick<TokenStore, 'noteUsed'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly trouble: (error: unknown) => void;
}): TokenUsage {
  const { tokens, now, trouble } = deps;
  const writtenAt = new Map<string, number>();
  const gathered = new Set<string>();
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const ids = [...gathered];
    gathered.clear();
    if (ids.length === 0) return;
    try {
      await tokens.noteUsed(ids);
    } catch (error) {
      for (const id of ids) writtenAt.delete(id);
      trouble(error);
    }
  }

  return {
    note(tokenId) {
      const last = writtenAt.get(tokenId);
      if (last !== undefined && now() - last < WRITE_EVERY_MS) return;
      if (writtenAt.size >= REMEMBERED_MAX) writtenAt.clear();
      writtenAt.set(tokenId, now());
      gathered.add(tokenId);
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
    },
    flush,
  };
}
