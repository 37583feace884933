import type { TenantId } from '../../domain/ids.ts';
import type { CandidateList } from '../../domain/memory/candidates.ts';
import { cosine, decodeVector, type UnitVector } from '../../domain/memory/vector.ts';
import type { MemoryStore } from '../../store/memory.ts';

export interface Ranked {
  readonly ordinal: number;
  readonly similarity: number;
}

/**
 * Reads the candidates' own vectors, the most promising first, until none that is left can be among
 * the `k` nearest. Nearest first; of equally near ones the fact added last. `missing`: candidates
 * that were forgotten meanwhile, in whose place others might have come.
 */
export async function rankExactly(
  store: MemoryStore,
  params: {
    readonly tenantId: TenantId;
    readonly candidates: CandidateList;
    readonly query: UnitVector;
    readonly k: number;
  },
): Promise<{ readonly nearest: readonly Ranked[]; readonly missing: number }> {
  const { tenantId, query, k } = params;
  const { ordinals, ceilings } = params.candidates;
  let nearest: readonly Ranked[] = [];
  let missing = 0;
  let read = 0;
  const mayChange = () => nearest.length < k || (ceilings[read] ?? 0) >= least(nearest);
  for (let size = Math.max(k, BATCH_MIN); read < ordinals.length && mayChange(); size *= 2) {
    const batch = [...ordinals.subarray(read, read + Math.min(size, BATCH_MAX))];
    const vectors = await store.readVectors({ tenantId, ordinals: batch });
    read += batch.length;
    missing += batch.length - vectors.length;
    const ranked = vectors.map(({ ordinal, embedding }) => ({
      ordinal,
      similarity: cosine(decodeVector(embedding), query),
    }));
    nearest = [...nearest, ...ranked].toSorted(byNearness).slice(0, k);
  }
  return { nearest, missing };
}

/** Mostly one batch: that many are within the bound of the tenth nearest of 100 000. */
const BATCH_MIN = 64;
const BATCH_MAX = 1000;

function least(nearest: readonly Ranked[]): number {
  return nearest.at(-1)?.similarity ?? -Infinity;
}

function byNearness(left: Ranked, right: Ranked): number {
  return right.similarity - left.similarity || right.ordinal - left.ordinal;
}
