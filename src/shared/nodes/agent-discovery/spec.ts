import type { Criteria } from '../agent/read-criteria.ts';

export interface SearchSpec {
  readonly criteria: Criteria;
  /** State key of the output, beside the node's own; null: none. */
  readonly outputBinding: string | null;
}
