import type { NodeKind } from './plan/plan.ts';
import type { Definitions } from './schema/workflow-schema.ts';

/** The kinds of node there are. */
export interface KindRegistry {
  readonly all: readonly NodeKind<unknown>[];
  /** By type or alias; null: there is no such kind. */
  lookUp(type: string): NodeKind<unknown> | null;
  /** The schemas of workflows with these kinds; made when first asked for. */
  definitions(): Definitions;
}
