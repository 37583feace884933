import { type LiveVisit, type MapProgress, visitKey } from '../state.ts';
import {
  cancelVisit,
  emit,
  enterOnBudget,
  liveVisits,
  liveVisitsThat,
  planNode,
  type Turn,
} from '../turn.ts';
import { enterItem, type MapEntry } from './enter-node.ts';
import { failVisit } from './fail-visit.ts';
import { entryOf } from './visit-entry.ts';

/** Keeps every `map` visit at its concurrency, and ends those whose items are all complete. */
export function feedMaps(turn: Turn): boolean {
  let progressed = false;
  for (const { nodeId, visit } of liveVisitsThat(turn, ({ map }) => map !== null)) {
    progressed = feed(turn, visitKey(nodeId, visit)) || progressed;
  }
  return progressed;
}

function feed(turn: Turn, key: string): boolean {
  const visit = turn.draft.live.get(key);
  if (visit === undefined || visit.map === null) return false;
  const entry = entryOf(turn, planNode(turn, visit.nodeId), visit);
  if (entry.do !== 'map' || entry.items.length !== visit.map.itemCount) {
    throw new Error(`the items of ${key} in ${turn.draft.executionId} are no longer the same`);
  }
  const failed = firstFailure(visit.map);
  if (failed !== null && entry.onItemFailure === 'fail') {
    failMap(turn, visit, failed);
    return true;
  }
  if (visit.map.results.size === visit.map.itemCount) {
    completeMap(turn, visit, visit.map);
    return true;
  }
  return scheduleItems(turn, visit, entry);
}

function scheduleItems(turn: Turn, visit: LiveVisit, entry: MapEntry): boolean {
  const { scheduled, results, itemCount, carriedAhead } = visit.map as MapProgress;
  if (scheduled + carriedAhead === itemCount) return false;
  const underWay = scheduled - results.size + carriedAhead;
  let room = entry.maxConcurrency - underWay;
  let progressed = false;
  for (let next = scheduled; next < itemCount && room > 0 && turn.budget > 0; next += 1) {
    // Completed before the retry.
    if (results.has(next)) continue;
    const index = next;
    enterOnBudget(turn, () => enterItem(turn, { map: visit, entry, index }));
    room -= 1;
    progressed = true;
  }
  return progressed;
}

function completeMap(turn: Turn, visit: LiveVisit, map: MapProgress): void {
  const output = Array.from({ length: map.itemCount }, (_, index) => {
    const result = map.results.get(index);
    if (result === undefined) throw new Error(`item ${index} of ${visit.nodeId} has no result`);
    return result.ok ? result.output : { error: result.error };
  });
  emit(turn, {
    kind: 'NodeCompleted',
    nodeId: visit.nodeId,
    payload: { visit: visit.visit, output },
  });
}

function failMap(turn: Turn, visit: LiveVisit, failed: { index: number; error: string }): void {
  for (const other of liveVisits(turn)) {
    if (other.run?.mode === 'rollback') continue;
    if (other.item?.nodeId === visit.nodeId && other.item.visit === visit.visit) {
      cancelVisit(turn, other, `item ${failed.index} of ${visit.nodeId} failed`);
    }
  }
  failVisit(turn, {
    nodeId: visit.nodeId,
    visit: visit.visit,
    attempt: visit.attempt,
    error: `item ${failed.index} failed: ${failed.error}`,
    errorClass: 'item_failed',
  });
}

function firstFailure(map: MapProgress): { index: number; error: string } | null {
  for (const [index, result] of map.results) {
    if (!result.ok) return { index, error: result.error };
  }
  return null;
}
