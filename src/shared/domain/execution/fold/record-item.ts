import type { Draft } from '../draft.ts';
import { type MapItemResult, visitKey } from '../state.ts';
import { changeVisit } from './live-visit.ts';

export function recordItem(
  draft: Draft,
  item: { readonly nodeId: string; readonly visit: number; readonly index: number },
  result: MapItemResult,
): void {
  const parent = draft.live.get(visitKey(item.nodeId, item.visit));
  // The map may have ended before its last items; their results no longer count.
  if (parent === undefined || parent.map === null) return;
  const results = ownResults(draft, parent.map.results).set(item.index, result);
  changeVisit(draft, parent, { map: { ...parent.map, results } });
}

type MapResults = Map<number, MapItemResult>;

/**
 * Copied once per fold: one copy per item would make the fold of a map with thousands of items take
 * seconds.
 */
function ownResults(draft: Draft, results: ReadonlyMap<number, MapItemResult>): MapResults {
  const known = owned.get(draft) ?? new WeakMap();
  owned.set(draft, known);
  const own = known.get(results) ?? new Map(results);
  known.set(own, own);
  return own;
}

/** The results that each draft has copied, and may therefore change. */
const owned = new WeakMap<Draft, WeakMap<ReadonlyMap<number, MapItemResult>, MapResults>>();
