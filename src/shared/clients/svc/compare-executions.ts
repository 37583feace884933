import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isSameJson } from '../../domain/same-json.ts';
import type { WireEvent, WireExecution } from './wire.ts';

/** One execution with its history, of which a part may be left out. */
export interface ComparedExecution {
  readonly execution: Pick<
    WireExecution,
    'execution_id' | 'status' | 'state' | 'forked_from' | 'retried_from'
  >;
  readonly events: readonly WireEvent[];
}

/** The kinds of events that a comparison reads. */
export const COMPARED_KINDS = [
  'WorkflowStarted',
  'NodeScheduled',
  'RetryScheduled',
  'NodeCompleted',
  'NodeFailed',
  'NodeCancelled',
] as const;

/** How a visit ended, or that it has not. */
export interface VisitResult {
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'running' | 'kept';
  /** Null also where the event leaves it out because of its size. */
  readonly output: JsonValue;
  readonly error: string | null;
  readonly attempts: number;
  /** From its beginning to its end; null: it has not ended, or was kept. */
  readonly duration_ms: number | null;
  /** Sequence of the event that ended it; with `kept`, in the original. Null: it has not ended. */
  readonly sequence: number | null;
}

export interface ComparedVisit {
  readonly node_id: string;
  readonly visit: number;
  /**
   * `only_one`: the other has no such visit. `unknown`: both outputs or errors are left out. Null: the visits
   * are alike.
   */
  readonly differs: 'only_one' | 'outcome' | 'output' | 'unknown' | null;
  readonly one: VisitResult | null;
  readonly other: VisitResult | null;
}

export interface Comparison {
  readonly one: string;
  readonly other: string;
  readonly status: { readonly one: string; readonly other: string };
  /** The inputs of the executions; null: one of them is left out. */
  readonly input: {
    readonly differs: boolean | null;
    readonly one: JsonValue;
    readonly other: JsonValue;
  };
  /** The first visit that differs; null: all are alike. */
  readonly parts_at: { readonly node_id: string; readonly visit: number } | null;
  readonly visits: readonly ComparedVisit[];
  /** Keys of the states that differ. */
  readonly state: readonly ComparedKey[];
}

export interface ComparedKey {
  readonly key: string;
  /** Null also where the key is absent. */
  readonly one: JsonValue;
  readonly other: JsonValue;
  /** The state that lacks the key; null: both have it. */
  readonly absent_in: 'one' | 'other' | null;
}

/** Compares visits by node and number, in the order in which they began. */
export function compareExecutions(one: ComparedExecution, other: ComparedExecution): Comparison {
  const [first, second] = [visitsOf(one), visitsOf(other)];
  addKept(first, { of: one, from: second, original: other });
  addKept(second, { of: other, from: first, original: one });
  const keys = new Set([...first.keys(), ...second.keys()]);
  const visits = [...keys].flatMap((key) => compareVisit(first.get(key), second.get(key)));
  const parting = visits.find(({ differs }) => differs !== null && differs !== 'unknown');
  return {
    one: one.execution.execution_id,
    other: other.execution.execution_id,
    status: { one: one.execution.status, other: other.execution.status },
    input: compareInputs(inputOf(one), inputOf(other)),
    parts_at: parting === undefined ? null : { node_id: parting.node_id, visit: parting.visit },
    visits,
    state: compareStates(stateOf(one), stateOf(other)),
  };
}

type Visit = VisitResult & {
  readonly node_id: string;
  readonly visit: number;
  readonly began: number;
  /** The event that ended it leaves its output or its error out. */
  readonly isOmitted: boolean;
};
type Visits = Map<string, Visit>;

function visitsOf({ events }: ComparedExecution): Visits {
  const visits: Visits = new Map();
  for (const { kind, node_id: nodeId, payload, created_at: at, sequence } of events) {
    if (nodeId === null || !isJsonObject(payload ?? null)) continue;
    const facts = payload as JsonObject;
    const visit = Number(facts['visit'] ?? 0);
    const key = `${nodeId} ${visit}`;
    const known = visits.get(key);
    const time = Date.parse(at);
    if (kind === 'NodeScheduled') visits.set(key, beginVisit(nodeId, visit, time));
    if (known === undefined) continue;
    if (kind === 'RetryScheduled') visits.set(key, { ...known, attempts: known.attempts + 1 });
    const outcome = OUTCOMES[kind];
    if (outcome === undefined || (kind === 'NodeFailed' && facts['retryable'] === true)) continue;
    visits.set(key, {
      ...known,
      outcome,
      output: facts['output'] ?? null,
      error: typeof facts['error'] === 'string' ? facts['error'] : null,
      duration_ms: time - known.began,
      sequence,
      isOmitted:
        (outcome === 'completed' && facts['output'] === undefined) ||
        (outcome === 'failed' && facts['error'] === undefined),
    });
  }
  return visits;
}

const OUTCOMES: Readonly<Record<string, VisitResult['outcome']>> = {
  NodeCompleted: 'completed',
  NodeFailed: 'failed',
  NodeCancelled: 'cancelled',
};

function beginVisit(nodeId: string, visit: number, began: number): Visit {
  return {
    node_id: nodeId,
    visit,
    began,
    outcome: 'running',
    output: null,
    error: null,
    attempts: 1,
    duration_ms: null,
    sequence: null,
    isOmitted: false,
  };
}

/**
 * A fork has the results of its original that ended before its point, and a retry has those that
 * completed, without events of their own.
 */
function addKept(
  visits: Visits,
  given: {
    readonly of: ComparedExecution;
    readonly from: Visits;
    readonly original: ComparedExecution;
  },
): void {
  const { forked_from: forked = null, retried_from: retried = null } = given.of.execution;
  const origin = forked ?? retried;
  if (origin === null || origin.execution_id !== given.original.execution.execution_id) return;
  for (const [key, visit] of given.from) {
    if (visits.has(key) || visit.sequence === null) continue;
    if (visit.sequence > (origin.sequence ?? Infinity)) continue;
    if (forked === null && visit.outcome !== 'completed') continue;
    visits.set(key, { ...visit, outcome: 'kept', duration_ms: null });
  }
}

function compareVisit(one: Visit | undefined, other: Visit | undefined): readonly ComparedVisit[] {
  const named = one ?? other;
  if (named === undefined) return [];
  const { node_id, visit } = named;
  const differs = differenceOf(one, other);
  return [{ node_id, visit, differs, one: resultOf(one), other: resultOf(other) }];
}

function differenceOf(one: Visit | undefined, other: Visit | undefined): ComparedVisit['differs'] {
  if (one === undefined || other === undefined) return 'only_one';
  const isKept = one.outcome === 'kept' || other.outcome === 'kept';
  if (isKept) return null;
  if (one.outcome !== other.outcome || one.error !== other.error) return 'outcome';
  if (one.isOmitted && other.isOmitted) return 'unknown';
  if (one.isOmitted || other.isOmitted) return 'output';
  return isSameJson(one.output, other.output) ? null : 'output';
}

function resultOf(visit: Visit | undefined): VisitResult | null {
  if (visit === undefined) return null;
  const { outcome, output, error, attempts, duration_ms, sequence } = visit;
  return { outcome, output, error, attempts, duration_ms, sequence };
}

/** Undefined: the event leaves it out. */
function inputOf({ events }: ComparedExecution): JsonValue | undefined {
  const { payload = null } = events.find(({ kind }) => kind === 'WorkflowStarted') ?? {};
  return isJsonObject(payload) ? payload['input'] : undefined;
}

function compareInputs(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): Comparison['input'] {
  const isUnknown = one === undefined && other === undefined;
  return {
    differs: isUnknown ? null : !isSameJson(one, other),
    one: one ?? null,
    other: other ?? null,
  };
}

function stateOf({ execution: { state = null } }: ComparedExecution): JsonObject {
  return isJsonObject(state) ? state : {};
}

function compareStates(one: JsonObject, other: JsonObject): Comparison['state'] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys]
    .filter((key) => !isSameJson(one[key], other[key]))
    .map((key) => ({
      key,
      one: one[key] ?? null,
      other: other[key] ?? null,
      absent_in: absentIn(key, one, other),
    }));
}

function absentIn(key: string, one: JsonObject, other: JsonObject): ComparedKey['absent_in'] {
  if (!Object.hasOwn(one, key)) return 'one';
  return Object.hasOwn(other, key) ? null : 'other';
}
