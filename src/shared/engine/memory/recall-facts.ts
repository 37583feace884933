import { cascadeOf, clampK, type Fact, type Scope } from '../../domain/memory/fact.ts';
import type { Reader } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';
import { embedText } from './embed-text.ts';
import { rankExactly } from './rank.ts';
import { requireKey } from './require-key.ts';

export interface Recall extends Scope {
  readonly query: string;
  /** Null: as many as usual. */
  readonly k: number | null;
}

export interface RecalledFact extends Fact {
  readonly similarity: number;
}

/**
 * The nearest facts of the scopes that the cascade allows, exactly: the index names all that may be
 * among them, and their own vectors decide. Facts that are forgotten while this runs are left out,
 * and the search is made again when others might have come in their place.
 */
export async function recallFacts(
  deps: MemoryDeps,
  { tenantId }: Reader,
  params: Recall,
): Promise<readonly RecalledFact[]> {
  const { embedder, index, store } = deps;
  const { agentId, endUserId } = params;
  const k = clampK(params.k);
  const apiKey = await requireKey(deps, tenantId);
  const embedding = embedText(embedder, { apiKey, text: params.query, field: 'query' });
  const scopes = cascadeOf({ agentId, endUserId });
  for (let tries = 1; ; tries += 1) {
    const candidates = await index.search({ tenantId, scopes, query: embedding, k });
    const query = await embedding;
    const { nearest, missing } = await rankExactly(store, { tenantId, candidates, query, k });
    const ordinals = nearest.map(({ ordinal }) => ordinal);
    const facts = ordinals.length === 0 ? [] : await store.readFacts({ tenantId, ordinals });
    const byOrdinal = new Map(facts.map((fact) => [fact.ordinal, fact]));
    const recalled = nearest.flatMap(({ ordinal, similarity }) => {
      const fact = byOrdinal.get(ordinal);
      return fact === undefined ? [] : [{ ...fact, similarity }];
    });
    const isShort = recalled.length < k && (missing > 0 || recalled.length < nearest.length);
    if (!isShort || tries >= TRIES_MAX) return recalled;
  }
}

/** Each further try means that facts of the answer were forgotten within milliseconds again. */
const TRIES_MAX = 5;
