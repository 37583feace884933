import { parseFactId } from '../../domain/memory/fact.ts';
import type { Caller } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';

export interface ForgetFacts {
  readonly what: { readonly factId: string } | { readonly endUserId: string };
  readonly reason: string;
}

/**
 * A soft delete: the facts are gone from every reading at once, and the rows stay. The number of
 * facts that are forgotten by this.
 */
export async function forgetFacts(
  { store, ids }: MemoryDeps,
  { tenantId, actorId }: Caller,
  { what, reason }: ForgetFacts,
): Promise<number> {
  const forgetting = { tenantId, reason, actorId };
  if ('endUserId' in what) {
    const auditId = ids.uuid();
    return store.forgetUser({ ...forgetting, endUserId: what.endUserId, auditId });
  }
  const factId = parseFactId(what.factId);
  return factId === null ? 0 : store.forgetFact({ ...forgetting, factId });
}
