import type { Fact } from '../../domain/memory/fact.ts';
import { quotaExceeded } from '../../domain/memory/errors.ts';
import { encodeSketch } from '../../domain/memory/sketch.ts';
import { encodeVector } from '../../domain/memory/vector.ts';
import type { MemoryDeps } from './deps.ts';
import { embedText } from './embed-text.ts';
import type { AddFact } from './memory.ts';
import { requireKey } from './settings.ts';
import { readStats } from './stats.ts';

/**
 * Adds a fact: 403, 400, 402 and what the provider says, in this order. A place in the quota is kept
 * before the provider is asked, so that nobody pays for an embedding there is no place for, and given
 * back when embedding fails. Should the process end in between, the place comes free by itself.
 */
export async function addFact(deps: MemoryDeps, params: AddFact): Promise<Fact> {
  const { store, embedder, ids, holdMs } = deps;
  const { tenantId, ingestionKey, content } = params;
  const apiKey = await requireKey(deps, tenantId);
  if (ingestionKey !== null) {
    const known = await store.findByIngestionKey({ tenantId, ingestionKey });
    if (known !== null) return known;
  }
  const { quota } = await readStats(deps, { tenantId });
  const place = { tenantId, reservationId: ids.uuid() };
  if (!(await store.reserve({ ...place, quota, holdMs }))) throw quotaExceeded(quota);
  let factId: string | null = ids.uuid();
  try {
    const vector = await embedText(embedder, { apiKey, text: content, field: 'content' });
    const fact = await store.add({
      ...params,
      ...place,
      quota,
      factId,
      embedding: encodeVector(vector),
      sketch: encodeSketch(vector),
    });
    if (fact === null) throw quotaExceeded(quota);
    // The place went into the new fact; one that was there already has left it free.
    if (fact.factId === factId) factId = null;
    return fact;
  } finally {
    if (factId !== null) await store.release(place);
  }
}
