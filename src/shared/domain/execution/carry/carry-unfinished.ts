import { hashJson } from '../../canonical-json.ts';
import type { Plan } from '../../workflow/plan/plan.ts';
import type { CarriedInputPayload } from '../function-events.ts';
import { carryJournals, placeOf, rolledBack } from './carry-journals.ts';
import { entryOf } from '../decisions/visit-entry.ts';
import type { RecordedEvent } from '../event.ts';
import type { CarriedMapPayload, CarriedPayload } from '../event-payloads.ts';
import { type ExecutionState, type LiveVisit, visitKey } from '../state.ts';

/**
 * The unfinished work that a retry takes over: the completed items of maps, so that only the others
 * run, and the approvals of calls that the retry makes again.
 */
export function carryUnfinished(of: {
  readonly draft: ExecutionState;
  readonly events: readonly RecordedEvent[];
  readonly plan: Plan;
  readonly newPlan: Plan;
  /** See `carry-inputs.ts`. */
  readonly continued: ReadonlyMap<string, CarriedInputPayload>;
}): Pick<CarriedPayload, 'maps' | 'approvals' | 'granted_calls' | 'journals' | 'inputs'> {
  const { draft, events } = of;
  const live = [...draft.live.values()].filter(({ map }) => map !== null);
  const maps = [
    // Maps of the previous execution that this one has not reached again.
    ...Object.values(draft.carriedMaps),
    ...live.flatMap((visit) => carryMap(visit, of) ?? []),
  ];
  const approvals = openApprovals(events);
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
    readonly events: readonly RecordedEvent[];
    readonly plan: Plan;
    readonly continued: ReadonlyMap<string, CarriedInputPayload>;
  },
): CarriedMapPayload | null {
  const { nodeId, map } = visit;
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
    events,
    continued,
  }: {
    readonly events: readonly RecordedEvent[];
    readonly continued: ReadonlyMap<string, CarriedInputPayload>;
  },
): Record<string, number> {
  const visits: Record<string, number> = {};
  const undone = rolledBack(events);
  for (const event of events) {
    if (event.kind !== 'NodeScheduled' || event.payload.map === undefined) continue;
    const { payload } = event;
    const { node_id: nodeId, visit, index } = event.payload.map;
    if (nodeId !== map.nodeId || visit !== map.visit) continue;
    const key = visitKey(event.nodeId, payload.visit);
    const again = continued.get(key)?.visit ?? payload.visit;
    // An item that was rolled back runs again as another visit, under another key.
    if (again === payload.visit && undone.has(key)) delete visits[index];
    else visits[index] = again;
  }
  return visits;
}

/** Approvals for visits that did not complete, including carried approvals. */
function openApprovals(events: readonly RecordedEvent[]): NonNullable<CarriedPayload['approvals']> {
  const open = new Map<string, { node_id: string; visit: number; hashes: Set<string> }>();
  const add = (nodeId: string, visit: number, hash: string | undefined): void => {
    if (hash === undefined) return;
    const key = visitKey(nodeId, visit);
    const known = open.get(key) ?? { node_id: nodeId, visit, hashes: new Set<string>() };
    known.hashes.add(hash);
    open.set(key, known);
  };
  for (const { kind, nodeId, payload } of events) {
    if (kind === 'WorkflowStarted') {
      for (const { node_id, visit, shown_hash: hash } of payload.carried?.approvals ?? []) {
        add(node_id, visit, hash);
      }
    } else if (kind === 'NodeScheduled') add(nodeId, payload.visit, payload.granted_hash);
    else if (kind === 'ApprovalReceived' && payload.decision === 'approved') {
      add(nodeId, payload.visit, payload.shown_hash);
    } else if (kind === 'NodeCompleted') open.delete(visitKey(nodeId, payload.visit));
  }
  return [...open.values()].flatMap(({ node_id, visit, hashes }) =>
    [...hashes].map((shown_hash) => ({ node_id, visit, shown_hash })),
  );
}
