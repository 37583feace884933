import type { Plan } from '../../workflow/plan/plan.ts';
import type { RecordedEvent } from '../event.ts';
import type { CarriedJournalPayload, JournalEntry } from '../function-events.ts';
import { type ExecutionState, visitKey } from '../state.ts';

/**
 * The journals of functions that were under way: a retry continues after their last entry. A visit
 * that was rolled back starts again from the beginning. So does a node that now names another
 * function.
 */
export function carryJournals(of: {
  readonly draft: ExecutionState;
  readonly events: readonly RecordedEvent[];
  readonly plan: Plan;
  readonly newPlan: Plan;
}): readonly CarriedJournalPayload[] {
  const { draft, events } = of;
  const undone = rolledBack(events);
  const kept = new Map<string, JournalEntry[]>();
  for (const { nodeId, visit, run } of draft.live.values()) {
    const key = visitKey(nodeId, visit);
    const isSame = isSameFunction(of, nodeId);
    if (run !== null && run.recorded.size > 0 && isSame && !undone.has(key)) kept.set(key, []);
  }
  const before = Object.entries(draft.carriedJournals).map(([key, entries]) => ({
    ...placeOf(key),
    entries,
  }));
  if (kept.size === 0) return before;
  for (const { kind, nodeId, payload } of events) {
    if (kind !== 'StepRecorded') continue;
    kept.get(visitKey(nodeId, payload.visit))?.push(...payload.entries.map(withoutSequence));
  }
  return [...before, ...[...kept].map(([key, entries]) => ({ ...placeOf(key), entries }))];
}

/** Visits whose compensations were to run, by `visitKey`. */
export function rolledBack(events: readonly RecordedEvent[]): ReadonlySet<string> {
  const visits = new Set<string>();
  for (const { kind, nodeId, payload } of events) {
    if (kind === 'RollbackScheduled') visits.add(visitKey(nodeId, payload.visit));
  }
  return visits;
}

/** Whether the node runs the same function in both definitions. */
export function isSameFunction(
  { plan, newPlan }: { readonly plan: Plan; readonly newPlan: Plan },
  nodeId: string,
): boolean {
  return functionOf(plan, nodeId) === functionOf(newPlan, nodeId);
}

function functionOf({ nodes }: Plan, nodeId: string): string | null {
  const node = nodes.get(nodeId);
  return node?.kind.type === 'function' ? (node.kind.tool?.(node.spec) ?? null) : null;
}

/** The events of the execution before are not those of the next. */
function withoutSequence({ event_sequence: _, ...entry }: JournalEntry): JournalEntry {
  return entry;
}

export function placeOf(key: string): { readonly node_id: string; readonly visit: number } {
  const at = key.lastIndexOf('#');
  return { node_id: key.slice(0, at), visit: Number(key.slice(at + 1)) };
}
