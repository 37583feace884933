import type { JsonObject } from '../../domain/json.ts';
import type { Fact, Scope } from '../../domain/memory/fact.ts';
import { quotaExceeded } from '../../domain/memory/errors.ts';
import { encodeSketch } from '../../domain/memory/sketch.ts';
import { encodeVector } from '../../domain/memory/vector.ts';
import type { Caller } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';
import { embedText } from './embed-text.ts';
import { readMemoryStats } from './read-memory-stats.ts';
import { requireKey } from './require-key.ts';

export interface AddFact extends Scope {
  readonly content: string;
  readonly metadata: JsonObject;
  /** Null: the fact is added however often it is sent. */
  readonly ingestionKey: string | null;
}

/**
 * Adds a fact: 403, 400, 402 and errors of the provider, in this order. It reserves a place in the
 * quota before it calls the provider, so that nobody pays for an embedding without a place, and
 * releases it when embedding fails. If the process ends in between, the reservation expires.
 */
export async function addFact(
  deps: MemoryDeps,
  { tenantId, actorId }: Caller,
  params: AddFact,
): Promise<Fact> {
  const { store, embedder, ids, holdMs } = deps;
  const { ingestionKey, content } = params;
  const apiKey = await requireKey(deps, tenantId);
  if (ingestionKey !== null) {
    const known = await store.findByIngestionKey({ tenantId, ingestionKey });
    if (known !== null) return known;
  }
  const { quota } = await readMemoryStats(deps, { tenantId });
  const place = { tenantId, reservationId: ids.uuid() };
  if (!(await store.reserve({ ...place, quota, holdMs }))) throw quotaExceeded(quota);
  let factId: string | null = ids.uuid();
  try {
    const vector = await embedText(embedder, { apiKey, text: content, field: 'content' });
    const fact = await store.add({
      ...params,
      ...place,
      actorId,
      quota,
      factId,
      embedding: encodeVector(vector),
      sketch: encodeSketch(vector),
    });
    if (fact === null) throw quotaExceeded(quota);
    // The new fact uses the reserved place; a fact that already existed leaves it free.
    if (fact.factId === factId) factId = null;
    return fact;
  } finally {
    if (factId !== null) await store.release(place);
  }
}
