import { METER, type StepMeter } from '../../expression/step-budget.ts';
import type { JsonObject } from '../../json.ts';
import type { EnterContext, Entry, Plan, PlanNode } from '../../workflow/plan/plan.ts';
import { scopeOf } from '../route.ts';
import { type ExecutionState, type LiveVisit, visitKey, type VisitScope } from '../state.ts';

/** The inputs of entering a node. */
export interface Seen {
  readonly plan: Plan;
  readonly draft: ExecutionState;
  /** The step budget of the expressions that entering evaluates. */
  readonly meter?: StepMeter;
}

/** One item of a `map`, and the key of the input that it goes under. */
export type EnteredItem = NonNullable<EnterContext['item']>;

/**
 * The entry of a live visit's node, computed again from the pinned scope of the visit. It equals
 * the first result.
 */
export function entryOf(turn: Seen, node: PlanNode, visit: LiveVisit): Entry {
  const kept = entries.get(visit.scope);
  if (kept !== undefined) return kept;
  const entry = node.kind.enter(node.spec, contextOfVisit(turn, node, visit));
  entries.set(visit.scope, entry);
  return entry;
}

/** Keyed by the scope of the visit, which lives exactly as long as the visit. */
const entries = new WeakMap<VisitScope, Entry>();

/** The scope with which a live visit was entered. */
export function contextOfVisit(turn: Seen, node: PlanNode, visit: LiveVisit): EnterContext {
  return contextOf(turn, {
    node,
    visit: visit.visit,
    scope: visit.scope,
    arrivals: visit.scope.arrivals ?? [],
    item: itemOf(turn, visit),
  });
}

/** The item of a `map` that a live visit works on; null: none. */
export function itemOf(turn: Seen, visit: LiveVisit): EnteredItem | null {
  if (visit.undoes !== undefined) return visit.undoes.item;
  if (visit.item === null) return null;
  const map = turn.draft.live.get(visitKey(visit.item.nodeId, visit.item.visit));
  const node = map && turn.plan.nodes.get(map.nodeId);
  const entry = map && node && entryOf(turn, node, map);
  if (entry?.do !== 'map') throw new Error(`${visit.nodeId} is an item of no live map`);
  return { key: entry.itemKey, value: entry.items[visit.item.index] ?? null };
}

export function contextOf(
  turn: Seen,
  of: {
    readonly node: PlanNode;
    readonly visit: number;
    readonly scope: VisitScope;
    readonly arrivals: EnterContext['arrivals'];
    readonly item: EnteredItem | null;
  },
): EnterContext {
  const { draft } = turn;
  const whole = scopeOf(draft, of.scope.output);
  const input: JsonObject =
    of.item === null ? draft.input : { ...draft.input, [of.item.key]: of.item.value };
  return {
    node: of.node,
    executionId: draft.executionId,
    workflowId: draft.workflowId,
    workflowVersion: draft.workflowVersion,
    visit: of.visit,
    scope: { ...whole, state: of.scope.data, input, [METER]: turn.meter },
    arrivals: of.arrivals,
    item: of.item,
    ...(of.scope.input !== undefined && { input: of.scope.input }),
  };
}
