import type { Plan } from '../../workflow/plan/plan.ts';
import type { Draft } from '../draft.ts';
import type { CarriedInputPayload } from '../function-events.ts';
import { visitKey } from '../state.ts';
import { isSameFunction } from './carry-journals.ts';
import type { RetryNotes } from './retry-notes.ts';
import { takeNumber } from './visits-again.ts';

/**
 * The visits in which a retry begins functions that had continued as new, each with the input that
 * its function continued with; by the `visitKey` of the live visit. The earlier visits are done, and
 * their steps never run again. See `visits-again.ts` for the numbers, which items of maps take here.
 */
export function carryInputs(of: {
  readonly draft: Draft;
  readonly notes: RetryNotes;
  readonly plan: Plan;
  readonly newPlan: Plan;
  readonly numbers: ReadonlyMap<string, number>;
}): ReadonlyMap<string, CarriedInputPayload> {
  const { draft, notes } = of;
  const continued = new Map<string, CarriedInputPayload>();
  for (const live of draft.live.values()) {
    const { nodeId, visit, signal, scope } = live;
    const isNext = signal?.is === 'continue';
    const input = isNext ? signal.input : scope.input;
    if (input === undefined || !isSameFunction(of, nodeId)) continue;
    const key = visitKey(nodeId, visit);
    const ofItem =
      isNext || notes.rolledBack.has(key) ? () => takeNumber(draft, nodeId) : () => visit;
    const begins = of.numbers.get(key) ?? ofItem();
    continued.set(key, { node_id: nodeId, visit: begins, input });
  }
  return continued;
}
