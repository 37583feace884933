import type { Draft } from '../draft.ts';
import { type LiveVisit, type VisitMemory, visitKey } from '../state.ts';

/** Throws if the visit is not live: the engine writes no such history. */
export function liveVisit(draft: Draft, nodeId: string, visit: number): LiveVisit {
  const found = draft.live.get(visitKey(nodeId, visit));
  if (found === undefined) {
    throw new Error(
      `broken history of ${draft.executionId}: ${visitKey(nodeId, visit)} is not live at ${draft.sequence}`,
    );
  }
  return found;
}

export function changeVisit(draft: Draft, visit: LiveVisit, patch: Partial<LiveVisit>): void {
  draft.live.set(visitKey(visit.nodeId, visit.visit), { ...visit, ...patch });
}

/** The memory of a visit that gets on: attempts that do not count are counted from 0 again. */
export function memoryOnward({ memory }: LiveVisit): VisitMemory | null {
  return memory === null || memory.uncounted === 0 ? memory : { ...memory, uncounted: 0 };
}
