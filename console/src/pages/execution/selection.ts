import { useMemo } from 'react';

import { useSearchState } from '../../app/search.ts';

/** The point of the history and the node that all panes show; both are in the address. */
export interface Selection {
  /** Null: the last event, also when new ones arrive. */
  readonly at: number | null;
  readonly node: string | null;
  readonly select: (chosen: { readonly at?: number | null; readonly node?: string | null }) => void;
}

export function useSelection(): Selection {
  const [search, change] = useSearchState();
  const { at, node } = search;
  return useMemo(
    () => ({
      at: at !== undefined && /^\d{1,9}$/.test(at) ? Number(at) : null,
      node: node ?? null,
      select: (chosen) =>
        change({
          ...(chosen.at === undefined ? {} : { at: chosen.at?.toString() }),
          ...(chosen.node === undefined ? {} : { node: chosen.node ?? undefined }),
        }),
    }),
    [at, node, change],
  );
}
