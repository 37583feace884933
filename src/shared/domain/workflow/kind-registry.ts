import type { NodeKind } from './plan/plan.ts';

/** The kinds of node there are. */
export interface KindRegistry {
  readonly all: readonly NodeKind<unknown>[];
  /** By type or alias; null: there is no such kind. */
  lookUp(type: string): NodeKind<unknown> | null;
}
