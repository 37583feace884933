import { isDeepStrictEqual } from 'node:util';

import type { WireEvent, WireExecution } from '../../../src/shared/clients/svc/wire.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';

/** One execution with its whole history. */
export interface ComparedExecution {
  readonly execution: WireExecution;
  readonly events: readonly WireEvent[];
}

/** How a visit ended, or that it has not. */
export interface VisitResult {
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'running' | 'kept';
  readonly output: JsonValue;
  readonly error: string | null;
  readonly attempts: number;
  /** From its beginning to its end; null: it has not ended, or was kept. */
  readonly duration_ms: number | null;
}

export interface ComparedVisit {
  readonly node_id: string;
  readonly visit: number;
  /** `only_one`: the other has no such visit. Null: the visits are alike. */
  readonly differs: 'only_one' | 'outcome' | 'output' | null;
  readonly one: VisitResult | null;
  readonly other: VisitResult | null;
}

export interface Comparison {
  readonly one: string;
  readonly other: string;
  readonly status: { readonly one: string; readonly other: string };
  readonly visits: readonly ComparedVisit[];
  /** Keys of the states that differ; null: the key is missing there. */
  readonly state: readonly {
    readonly key: string;
    readonly one: JsonValue;
    readonly other: JsonValue;
  }[];
}

/** Compares visits by node and number, in the order in which they began. */
export function compareExecutions(one: ComparedExecution, other: ComparedExecution): Comparison {
  const [first, second] = [visitsOf(one), visitsOf(other)];
  addKept(first, { of: one, from: second, original: other });
  addKept(second, { of: other, from: first, original: one });
  const keys = new Set([...first.keys(), ...second.keys()]);
  return {
    one: one.execution.execution_id,
    other: other.execution.execution_id,
    status: { one: one.execution.status, other: other.execution.status },
    visits: [...keys].map((key) => compareVisit(key, first.get(key), second.get(key))),
    state: compareStates(stateOf(one), stateOf(other)),
  };
}

type Visit = VisitResult & {
  readonly node_id: string;
  readonly visit: number;
  readonly began: number;
  readonly endedAt: number | null;
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
      endedAt: sequence,
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
    endedAt: null,
  };
}

/** A fork has the results of its original that ended before its point, without events of its own. */
function addKept(
  visits: Visits,
  given: {
    readonly of: ComparedExecution;
    readonly from: Visits;
    readonly original: ComparedExecution;
  },
): void {
  const { forked_from: forked = null } = given.of.execution;
  if (forked === null || forked.execution_id !== given.original.execution.execution_id) return;
  for (const [key, visit] of given.from) {
    if (visits.has(key) || visit.endedAt === null || visit.endedAt > forked.sequence) continue;
    visits.set(key, { ...visit, outcome: 'kept', duration_ms: null });
  }
}

function compareVisit(
  key: string,
  one: Visit | undefined,
  other: Visit | undefined,
): ComparedVisit {
  const [node_id = '', visit = '0'] = key.split(' ');
  return {
    node_id,
    visit: Number(visit),
    differs: differenceOf(one, other),
    one: resultOf(one),
    other: resultOf(other),
  };
}

function differenceOf(one: Visit | undefined, other: Visit | undefined): ComparedVisit['differs'] {
  if (one === undefined || other === undefined) return 'only_one';
  const isKept = one.outcome === 'kept' || other.outcome === 'kept';
  if (isKept) return null;
  if (one.outcome !== other.outcome || one.error !== other.error) return 'outcome';
  return isDeepStrictEqual(one.output, other.output) ? null : 'output';
}

function resultOf(visit: Visit | undefined): VisitResult | null {
  if (visit === undefined) return null;
  const { outcome, output, error, attempts, duration_ms } = visit;
  return { outcome, output, error, attempts, duration_ms };
}

function stateOf({ execution: { state = null } }: ComparedExecution): JsonObject {
  return isJsonObject(state) ? state : {};
}

function compareStates(one: JsonObject, other: JsonObject): Comparison['state'] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(one[key], other[key]))
    .map((key) => ({ key, one: one[key] ?? null, other: other[key] ?? null }));
}
