import type { Wish } from '../agent/read-wish.ts';

export interface SearchSpec {
  readonly wish: Wish;
  /** State key of the output, beside the node's own; null: none. */
  readonly outputBinding: string | null;
}
