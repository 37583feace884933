import type { Mapping } from '../../domain/expression/mapping.ts';

export interface MemoryRetrievalSpec {
  readonly query: Mapping;
  readonly k: number | null;
  /** Whose facts; null: those of nobody in particular. */
  readonly agentId: Mapping | null;
  readonly endUserId: Mapping | null;
}
