import type { NodeKind } from './plan.ts';

/** The kinds of node there are, by type or alias. */
export interface KindRegistry {
  lookUp(type: string): KindLookUp;
}

/** `later`: a known kind that cannot run yet, so a definition that uses it is refused. */
export type KindLookUp =
  | { readonly found: 'kind'; readonly kind: NodeKind<unknown> }
  | { readonly found: 'later' }
  | { readonly found: 'nothing' };
