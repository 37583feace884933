import type { Plan } from '../../workflow/plan/plan.ts';
import type { Draft } from '../draft.ts';
import type { RecordedEvent } from '../event.ts';
import type { CarriedInputPayload } from '../function-events.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import { isSameFunction, rolledBack } from './carry-journals.ts';

/**
 * The visits in which a retry begins functions that had continued as new, each with the input that
 * its function continued with; by the `visitKey` of the live visit. The earlier visits are done, and
 * their steps never run again. A function keeps its visit, unless that visit was rolled back, or its
 * successor had not been scheduled: then it begins under the next free number.
 */
export function carryInputs(of: {
  readonly draft: Draft;
  readonly events: readonly RecordedEvent[];
  readonly plan: Plan;
  readonly newPlan: Plan;
}): ReadonlyMap<string, CarriedInputPayload> {
  const { draft, events } = of;
  const undone = rolledBack(events);
  const continued = new Map<string, CarriedInputPayload>();
  for (const live of draft.live.values()) {
    const { nodeId, visit, signal, scope } = live;
    const isNext = signal?.is === 'continue';
    const input = isNext ? signal.input : scope.input;
    if (input === undefined || !isSameFunction(of, nodeId)) continue;
    const key = visitKey(nodeId, visit);
    const begins = isNext || undone.has(key) ? newVisit(draft, live) : visit;
    continued.set(key, { node_id: nodeId, visit: begins, input });
  }
  return continued;
}

/** A node takes its next number when it is entered; items of maps have theirs on record. */
function newVisit({ nextVisit }: Draft, { nodeId, item }: LiveVisit): number {
  const visit = nextVisit.get(nodeId) ?? 0;
  if (item !== null) nextVisit.set(nodeId, visit + 1);
  return visit;
}
