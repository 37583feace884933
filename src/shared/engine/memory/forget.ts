import { parseFactId } from '../../domain/memory/fact.ts';
import type { MemoryDeps } from './deps.ts';
import type { Forget } from './memory.ts';

/** A soft delete: the facts are gone from every reading at once, and the rows stay. */
export async function forget({ store, ids }: MemoryDeps, params: Forget): Promise<number> {
  const { what, tenantId, reason, actorId } = params;
  const forgetting = { tenantId, reason, actorId };
  if ('endUserId' in what) {
    const auditId = ids.uuid();
    return store.forgetUser({ ...forgetting, endUserId: what.endUserId, auditId });
  }
  const factId = parseFactId(what.factId);
  return factId === null ? 0 : store.forgetFact({ ...forgetting, factId });
}
