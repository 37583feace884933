import { hashJson } from '../../canonical-json.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { CarriedInputPayload } from '../function-events.ts';
import { carryJournals, placeOf } from './carry-journals.ts';
import { entryOf } from '../decisions/visit-entry.ts';
import type { CarriedMapPayload, CarriedPayload } from '../event-payloads.ts';
import { type ExecutionState, type LiveVisit, visitKey } from '../state.ts';
import type { RetryNotes } from './retry-notes.ts';

/**
 * The unfinished work that a retry takes over: the completed items of maps, so that only the others
 * run, and the approvals of calls that the retry makes again.
 */
export function carryUnfinished(of: {
  readonly draft: ExecutionState;
  readonly notes: RetryNotes;
  readonly plan: Plan;
  readonly newPlan: Plan;
  /** See `carry-inputs.ts`. */
  readonly continued: ReadonlyMap<string, CarriedInputPayload>;
}): Pick<CarriedPayload, 'maps' | 'approvals' | 'granted_calls' | 'journals' | 'inputs'> {
  const { draft, notes } = of;
  const live = [...draft.live.values()].filter(({ map }) => map !== null);
  const maps = [
    // Maps of the previous execution that this one has not reached again.
    ...Object.values(draft.carriedMaps),
    ...live.flatMap((visit) => carryMap(visit, of) ?? []),
  ];
  const approvals = notes.openApprovals();
  const { grantedCalls } = draft;
  const journals = carryJournals(of);
  const inputs = [
    ...Object.entries(draft.carriedInputs).map(([key, input]) => ({ ...placeOf(key), input })),
    ...of.continued.values(),
  ];
  return {
    ...(maps.length > 0 && { maps }),
    ...(approvals.length > 0 && { approvals }),
    ...(grantedCalls.length > 0 && { granted_calls: grantedCalls }),
    ...(journals.length > 0 && { journals }),
    ...(inputs.length > 0 && { inputs }),
  };
}

function carryMap(
  visit: LiveVisit,
  of: {
    readonly draft: ExecutionState;
    readonly notes: RetryNotes;
    readonly plan: Plan;
    readonly continued: ReadonlyMap<string, CarriedInputPayload>;
  },
): CarriedMapPayload | null {
  const { nodeId, map } = visit;
  // An undo of the whole map undid its items.
  if (of.notes.rolledBack.has(visitKey(nodeId, visit.visit))) return null;
  const node = of.plan.nodes.get(nodeId);
  const entry = node && entryOf(of, node, visit);
  if (map === null || entry?.do !== 'map') return null;
  const done: CarriedMapPayload['done'][number][] = [];
  for (const [index, result] of map.results) {
    if (!result.ok) continue;
    const item = entry.items[index] ?? null;
    done.push({ index, item_hash: hashJson(item), output: result.output });
  }
  const visits = visitsOfItems(visit, of);
  for (const { index } of done) delete visits[index];
  const { carriedVisits } = map;
  // If a retry ended before it reached an item, the item keeps its visit.
  const before = carriedVisits?.body === entry.body ? carriedVisits.byIndex : {};
  return { node_id: nodeId, body: entry.body, done, visits: { ...before, ...visits } };
}

function visitsOfItems(
  map: LiveVisit,
  {
    notes,
    continued,
  }: {
    readonly notes: RetryNotes;
    readonly continued: ReadonlyMap<string, CarriedInputPayload>;
  },
): Record<string, number> {
  const visits: Record<string, number> = {};
  for (const [index, { key, visit }] of notes.itemVisits.get(visitKey(map.nodeId, map.visit)) ??
    []) {
    const again = continued.get(key)?.visit ?? visit;
    // An item that was rolled back runs again as another visit, under another key.
    if (again !== visit || !notes.rolledBack.has(key)) visits[index] = again;
  }
  return visits;
}
