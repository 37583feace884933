import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type ExecutionState, type LiveVisit, visitKey } from './state.ts';

const FORMAT = 1;

/**
 * A state as text, for snapshots and for the worker-thread pool. Parts that live visits share with
 * the present state (their pinned scope, most of the time) are written once.
 */
export function encodeState(state: ExecutionState): string {
  const { nextVisit, live, skipped, ...rest } = state;
  return JSON.stringify({
    format: FORMAT,
    ...rest,
    nextVisit: [...nextVisit],
    skipped: [...skipped],
    live: live
      .values()
      .map((visit) => encodeVisit(visit, state))
      .toArray(),
  });
}

export function decodeState(text: string): ExecutionState {
  const raw: unknown = JSON.parse(text);
  if (!isJsonObject(raw) || raw['format'] !== FORMAT) {
    throw new Error('a snapshot of an unknown format; was it written by a newer release?');
  }
  const { format: _format, nextVisit, live, skipped, ...rest } = raw as unknown as EncodedState;
  return {
    ...rest,
    nextVisit: new Map(nextVisit),
    skipped: new Set(skipped),
    live: new Map(
      live.map((visit) => [visitKey(visit.nodeId, visit.visit), decodeVisit(visit, rest)]),
    ),
  };
}

interface EncodedState extends Omit<ExecutionState, 'nextVisit' | 'live' | 'skipped'> {
  readonly format: number;
  readonly nextVisit: readonly [string, number][];
  readonly skipped: readonly string[];
  readonly live: readonly EncodedVisit[];
}

interface EncodedVisit extends Omit<LiveVisit, 'scope' | 'map'> {
  /** Absent data: the state's present data. */
  readonly scope: { readonly data?: JsonObject; readonly output: JsonValue };
  readonly map:
    | (Omit<NonNullable<LiveVisit['map']>, 'results'> & {
        readonly results: readonly MapResultEntry[];
      })
    | null;
}

type MapResults = NonNullable<LiveVisit['map']>['results'];
type MapResultEntry = MapResults extends ReadonlyMap<infer Key, infer Value> ? [Key, Value] : never;

function encodeVisit(visit: LiveVisit, state: ExecutionState): EncodedVisit {
  const { scope, map, ...rest } = visit;
  return {
    ...rest,
    scope: scope.data === state.data ? { output: scope.output } : scope,
    map: map && { ...map, results: [...map.results] },
  };
}

function decodeVisit(visit: EncodedVisit, state: { readonly data: JsonObject }): LiveVisit {
  const { scope, map, ...rest } = visit;
  return {
    ...rest,
    scope: { data: scope.data ?? state.data, output: scope.output },
    map: map && { ...map, results: new Map(map.results) },
  };
}
