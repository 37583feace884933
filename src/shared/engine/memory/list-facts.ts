import type { Fact } from '../../domain/memory/fact.ts';
import type { Reader } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';

export interface ListFacts {
  readonly limit: number;
  /** Only facts created before this instant. */
  readonly before: string | null;
}

/** Newest first, none that is forgotten. */
export function listFacts(
  { store }: MemoryDeps,
  { tenantId }: Reader,
  { limit, before }: ListFacts,
): Promise<readonly Fact[]> {
  return store.list({ tenantId, limit, before });
}
