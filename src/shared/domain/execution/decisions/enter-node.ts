import { hashJson } from '../../canonical-json.ts';
import type { JsonValue } from '../../json.ts';
import type { Entry, PlanNode, RuleViolation } from '../../workflow/plan/plan.ts';
import type { CarriedMapPayload } from '../event-payloads.ts';
import { nextTokens, outputsOf } from '../fold/fold-schedule.ts';
import { type ExecutionState, type LiveVisit, visitKey, type VisitScope } from '../state.ts';
import { emit, planNode, type Turn } from '../turn.ts';
import type { Undoable } from '../undo/undo-state.ts';
import { failExecution } from './end-execution.ts';
import { enterWork } from './enter-work.ts';
import { failVisit } from './fail-visit.ts';
import { type NewVisit, scheduleVisit } from './schedule-visit.ts';
import { startTimer } from './start-timer.ts';
import { contextOf, type EnteredItem, itemOf } from './visit-entry.ts';

export type MapEntry = Extract<Entry, { do: 'map' }>;

/** Enters a node whose tokens are complete: a new visit. */
export function enterNode(turn: Turn, node: PlanNode): void {
  const { draft } = turn;
  const tokens = nextTokens(draft, node.id);
  const output = tokens.at(-1)?.output ?? null;
  const arrivals = outputsOf(tokens);
  const visit = tokens[0]?.visit ?? draft.nextVisit.get(node.id) ?? 0;
  const scope = { data: draft.data, output, ...carriedInput(draft, node.id, visit) };
  const entry = node.kind.enter(
    node.spec,
    contextOf(turn, { node, visit, scope, arrivals, item: null }),
  );
  const from = [...new Set(arrivals.map((arrival) => arrival.nodeId))];
  carryOut({ turn, node, visit, origin: { from } }, entry);
}

/** Enters the body of a `map` for one item: a visit whose result goes to the map. */
export function enterItem(
  turn: Turn,
  of: { readonly map: LiveVisit; readonly entry: MapEntry; readonly index: number },
): void {
  const { map, entry, index } = of;
  const node = turn.plan.nodes.get(entry.body);
  if (node === undefined) throw new Error(`${map.nodeId} has no body ${entry.body}`);
  const item: EnteredItem = { key: entry.itemKey, value: entry.items[index] ?? null };
  const { draft } = turn;
  const visit = oldVisitOf(map, node, index) ?? draft.nextVisit.get(node.id) ?? 0;
  const { output } = map.scope;
  const scope = { data: draft.data, output, ...carriedInput(draft, node.id, visit) };
  const context = contextOf(turn, { node, visit, scope, arrivals: [], item });
  const origin = { from: [], map: { node_id: map.nodeId, visit: map.visit, index } };
  carryOut({ turn, node, visit, origin }, node.kind.enter(node.spec, context));
}

/** Enters the node of a function again in place of a visit that continues. */
export function enterAgain(turn: Turn, live: LiveVisit, input: JsonValue): void {
  const { nodeId, item: of, scope: before } = live;
  const node = planNode(turn, nodeId);
  const visit = turn.draft.nextVisit.get(nodeId) ?? 0;
  const scope = { ...before, input };
  const item = itemOf(turn, live);
  const map = of && { node_id: of.nodeId, visit: of.visit, index: of.index };
  const origin = { from: [], continues: live.visit, ...(map !== null && { map }) };
  const context = contextOf(turn, { node, visit, scope, arrivals: [], item });
  carryOut({ turn, node, visit, origin }, node.kind.enter(node.spec, context));
}

/** Enters the node that undoes a completed visit. */
export function enterUndo(turn: Turn, node: PlanNode, of: Undoable): void {
  const { draft } = turn;
  const visit = draft.nextVisit.get(node.id) ?? 0;
  const scope = { data: draft.data, output: of.output };
  const context = contextOf(turn, { node, visit, scope, arrivals: [], item: of.item });
  const undoes = { node_id: of.nodeId, visit: of.visit, sequence: of.sequence };
  carryOut(
    { turn, node, visit, origin: { from: [], undoes } },
    node.kind.enter(node.spec, context),
  );
}

function carriedInput(
  { carriedInputs }: ExecutionState,
  nodeId: string,
  visit: number,
): Pick<VisitScope, 'input'> {
  const input = carriedInputs[visitKey(nodeId, visit)];
  return input === undefined ? {} : { input };
}

/**
 * The visit of an item that was not complete before the retry: its call keeps its idempotency key.
 */
function oldVisitOf({ map }: LiveVisit, body: PlanNode, index: number): number | undefined {
  const { carriedVisits = null } = map ?? {};
  return carriedVisits?.body === body.id ? carriedVisits.byIndex[index] : undefined;
}

function carryOut(entered: NewVisit, entry: Entry): void {
  const { turn, node, visit } = entered;
  switch (entry.do) {
    case 'complete':
      scheduleVisit(entered, 'none');
      tellViolations(entered, entry.violations);
      return emit(turn, {
        kind: 'NodeCompleted',
        nodeId: node.id,
        payload: {
          visit,
          output: entry.output,
          ...(entry.statePatch !== undefined && { state_patch: entry.statePatch }),
          ...(entry.targets !== undefined && { targets: entry.targets }),
        },
      });
    case 'work':
      return enterWork(entered, entry);
    case 'wait':
      return park(entered, entry);
    case 'approval':
      return waitForApproval(entered, entry);
    case 'map':
      return scheduleVisit(entered, 'map', {
        item_count: entry.items.length,
        ...carriedItems(turn.draft.carriedMaps[node.id], entry),
      });
    case 'end':
      scheduleVisit(entered, 'none');
      emit(turn, {
        kind: 'NodeCompleted',
        nodeId: node.id,
        payload: { visit, output: null, targets: [] },
      });
      return failExecution(turn, { nodeId: node.id, ...entry });
    case 'fail': {
      scheduleVisit(entered, 'none');
      tellViolations(entered, entry.violations);
      const { error, errorClass } = entry;
      return failVisit(turn, { nodeId: node.id, visit, attempt: 0, error, errorClass });
    }
  }
}

function tellViolations(
  { turn, node, visit }: NewVisit,
  violations: readonly RuleViolation[] = [],
): void {
  for (const { name, message } of violations) {
    const payload = { visit, name, rule: 'rule', message } as const;
    emit(turn, { kind: 'PolicyViolation', nodeId: node.id, payload });
  }
}

function park(entered: NewVisit, entry: Extract<Entry, { do: 'wait' }>): void {
  const { turn, node, visit } = entered;
  const { correlationKey, timer } = entry;
  const phase = correlationKey === null ? 'timer' : timer === null ? 'event' : 'either';
  scheduleVisit(entered, phase, correlationKey === null ? {} : { correlation_key: correlationKey });
  if (correlationKey !== null) {
    emit(turn, {
      kind: 'ExternalEventWaiting',
      nodeId: node.id,
      payload: { visit, correlation_key: correlationKey },
    });
  }
  if (timer === null) return;
  startTimer(turn, { about: { purpose: 'wait', nodeId: node.id, visit }, when: timer });
}

function waitForApproval(entered: NewVisit, entry: Extract<Entry, { do: 'approval' }>): void {
  const { turn, node, visit } = entered;
  scheduleVisit(entered, 'approval');
  const { description, timeoutMs, shown } = entry;
  emit(turn, {
    kind: 'ApprovalRequested',
    nodeId: node.id,
    payload: {
      visit,
      description,
      timeout_ms: timeoutMs,
      ...(shown !== null && { shown, shown_hash: hashJson(shown) }),
    },
  });
  if (timeoutMs === null) return;
  const about = { purpose: 'approval_timeout', nodeId: node.id, visit } as const;
  startTimer(turn, { about, when: { delayMs: timeoutMs } });
}

/** The items that were complete before the retry and are still the same. */
function carriedItems(
  carried: CarriedMapPayload | undefined,
  entry: MapEntry,
): { readonly carried_items?: readonly number[] } {
  if (carried === undefined || carried.body !== entry.body) return {};
  const same = carried.done.filter(({ index, item_hash: hash }) => {
    const item = entry.items[index];
    return item !== undefined && hashJson(item) === hash;
  });
  return same.length === 0 ? {} : { carried_items: same.map(({ index }) => index) };
}
