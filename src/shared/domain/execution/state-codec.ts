import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type FunctionRun } from './function-run.ts';
import { NO_LABELS } from './labels/labels.ts';
import { type ExecutionState, type LiveVisit, NO_USAGE, visitKey } from './state.ts';
import { byVisit, endingChildrenOf } from './undo/ending-children.ts';
import { type EndingChild, NO_UNDO, type UndoState } from './undo/undo-state.ts';

const FORMAT = 3;
/** Format 2 has no usage and no memory of visits. */
const READABLE: readonly JsonValue[] = [2, FORMAT];

/**
 * A state as text, for snapshots and for the worker-thread pool. It writes each pinned value once,
 * however many live visits share it, and decoding shares it again.
 */
export function encodeState(state: ExecutionState): string {
  const { nextVisit, live, skipped, undo: _, ...rest } = state;
  const places = new Map<JsonValue, number | null>([[state.data, null]]);
  const pinned: JsonValue[] = [];
  const pin = (value: JsonValue): number | null => {
    const known = places.get(value);
    if (known !== undefined) return known;
    const place = pinned.push(value) - 1;
    places.set(value, place);
    return place;
  };
  return JSON.stringify({
    format: FORMAT,
    ...rest,
    nextVisit: [...nextVisit],
    skipped: [...skipped],
    undo: encodeUndo(state),
    live: live
      .values()
      .map((visit) => encodeVisit(visit, pin))
      .toArray(),
    pinned,
  });
}

export function decodeState(text: string): ExecutionState {
  const raw: unknown = JSON.parse(text);
  if (!isJsonObject(raw) || !READABLE.includes(raw['format'] ?? null)) {
    throw new Error('a snapshot of an unknown format; was it written by a newer release?');
  }
  const encoded = raw as unknown as EncodedState;
  const { format: _format, nextVisit, live, skipped, pinned, ...rest } = encoded;
  const unpin = (place: number | null): JsonValue =>
    place === null ? rest.data : (pinned[place] ?? null);
  return {
    ...rest,
    isBatch: rest.isBatch ?? false,
    labels: rest.labels ?? NO_LABELS,
    startRules: rest.startRules ?? null,
    usage: rest.usage ?? NO_USAGE,
    startWait: rest.startWait ?? null,
    parent: rest.parent ?? null,
    depth: rest.depth ?? 0,
    rootId: rest.rootId ?? null,
    continuedFrom: rest.continuedFrom ?? null,
    continuedAs: rest.continuedAs ?? null,
    budgetGrants: rest.budgetGrants ?? {},
    warned: rest.warned ?? [],
    retriedFrom: rest.retriedFrom ?? null,
    forkedFrom: rest.forkedFrom ?? null,
    keysOf: rest.keysOf ?? null,
    carriedMaps: rest.carriedMaps ?? {},
    carriedApprovals: rest.carriedApprovals ?? {},
    carriedJournals: rest.carriedJournals ?? {},
    carriedInputs: rest.carriedInputs ?? {},
    grantedCalls: rest.grantedCalls ?? [],
    ending: rest.ending ?? null,
    undo: rest.undo === undefined ? NO_UNDO : decodeUndo(rest.undo),
    pauses: rest.pauses ?? [],
    // Versions that did not write this field took snapshots only after the first decision.
    workflowTimerStarted: rest.workflowTimerStarted ?? true,
    nextVisit: new Map(nextVisit),
    skipped: new Set(skipped),
    live: new Map(
      live.map((visit) => [visitKey(visit.nodeId, visit.visit), decodeVisit(visit, unpin)]),
    ),
  };
}

interface EncodedState extends Omit<ExecutionState, 'nextVisit' | 'live' | 'skipped' | 'undo'> {
  readonly format: number;
  readonly nextVisit: readonly [string, number][];
  readonly skipped: readonly string[];
  /** Absent: a release without undos wrote the state. */
  readonly undo?: EncodedUndo;
  readonly live: readonly EncodedVisit[];
  readonly pinned: readonly JsonValue[];
}

interface EncodedUndo extends Omit<UndoState, 'endingChildren'> {
  readonly endingChildren?: readonly EndingChild[];
}

interface EncodedVisit extends Omit<LiveVisit, 'scope' | 'map' | 'run'> {
  /** Places in `pinned`; null: the state's present data. */
  readonly scope: {
    readonly data: number | null;
    readonly output: number | null;
    readonly arrivals?: readonly (readonly [string, number | null])[];
    readonly input?: number | null;
  };
  readonly map:
    | (Omit<NonNullable<LiveVisit['map']>, 'results'> & {
        readonly results: readonly MapResultEntry[];
      })
    | null;
  /** Absent: a release without durable functions wrote the state. */
  readonly run?:
    (Omit<FunctionRun, 'recorded'> & { readonly recorded: readonly [string, number][] }) | null;
}

type MapResults = NonNullable<LiveVisit['map']>['results'];
type MapResultEntry = MapResults extends ReadonlyMap<infer Key, infer Value> ? [Key, Value] : never;

function encodeVisit(visit: LiveVisit, pin: (value: JsonValue) => number | null): EncodedVisit {
  const { scope, map, run, ...rest } = visit;
  const { data, output, arrivals, input } = scope;
  return {
    ...rest,
    scope: {
      data: pin(data),
      output: pin(output),
      ...(arrivals && { arrivals: arrivals.map((one) => [one.nodeId, pin(one.output)] as const) }),
      ...(input !== undefined && { input: pin(input) }),
    },
    map: map && { ...map, results: [...map.results] },
    run: run && { ...run, recorded: [...run.recorded] },
  };
}

function decodeVisit(visit: EncodedVisit, unpin: (place: number | null) => JsonValue): LiveVisit {
  const { scope, map, run, ...rest } = visit;
  const arrivals = scope.arrivals?.map(([nodeId, place]) => ({ nodeId, output: unpin(place) }));
  return {
    ...rest,
    memory: rest.memory ?? null,
    childId: rest.childId ?? null,
    scope: {
      data: unpin(scope.data) as JsonObject,
      output: unpin(scope.output),
      ...(arrivals && { arrivals }),
      ...(scope.input !== undefined && { input: unpin(scope.input) }),
    },
    map: map && {
      ...map,
      carriedAhead: map.carriedAhead ?? 0,
      carriedVisits: map.carriedVisits ?? null,
      results: new Map(map.results),
    },
    run: run === undefined || run === null ? null : decodeRun(run),
  };
}

function encodeUndo(state: ExecutionState): EncodedUndo {
  const { endingChildren, ...undo } = state.undo;
  return endingChildren === undefined ? undo : { ...undo, endingChildren: endingChildrenOf(state) };
}

function decodeUndo({ endingChildren = [], ...undo }: EncodedUndo): UndoState {
  if (endingChildren.length === 0) return undo;
  return { ...undo, endingChildren: byVisit(endingChildren) };
}

function decodeRun(run: NonNullable<EncodedVisit['run']>): FunctionRun {
  return {
    ...run,
    recorded: new Map(run.recorded),
    begunBy: run.begunBy ?? null,
    buildId: run.buildId ?? null,
  };
}
