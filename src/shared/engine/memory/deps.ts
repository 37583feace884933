import type { MemoryTier } from '../../domain/memory/tiers.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { Ids } from '../../ports/ids.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { MemoryStore } from '../../store/memory.ts';
import type { VectorIndex } from './vector-index.ts';

/** The dependencies of the use cases of memory. */
export interface MemoryDeps {
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  readonly secrets: SecretBox;
  readonly index: VectorIndex;
  readonly ids: Ids;
  /** Tier of tenants whose limits name none, `memory.default_tier`. */
  readonly defaultTier: MemoryTier;
  readonly quotas: Readonly<Record<MemoryTier, number>>;
  /** How long a place in the quota is kept: longer than an embedding can take. */
  readonly holdMs: number;
}
