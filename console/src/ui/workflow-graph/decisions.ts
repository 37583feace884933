import { hasEnded, type NodeRun } from './node-run.ts';
import type { Graph } from './read-graph.ts';

const PATH = /\bstate((?:\.[A-Za-z_]\w*)+)/g;
const PATHS_MAX = 3;
const VALUE_MAX = 40;

/**
 * The nodes with the values of the state that the conditions behind them read, as text. The state is
 * that of the moment the graph shows: a later node may have changed a value since it decided.
 */
export function withDecisions(
  { edges }: Graph,
  nodes: ReadonlyMap<string, NodeRun>,
  state: unknown,
): ReadonlyMap<string, NodeRun> {
  return new Map(
    [...nodes].map(([id, run]) => {
      if (run.decidedBy !== undefined || !hasEnded(run)) return [id, run];
      const conditions = edges.flatMap(({ from, condition }) =>
        from === id && condition !== null ? [condition] : [],
      );
      const decidedBy = readValues(conditions, state);
      return [id, decidedBy === null ? run : { ...run, decidedBy }];
    }),
  );
}

/** `state.total = 250`; null: the conditions read no path of the state. */
export function readValues(conditions: readonly string[], state: unknown): string | null {
  const paths = new Set(
    conditions.flatMap((condition) => [...condition.matchAll(PATH)].map(([, path = '']) => path)),
  );
  if (paths.size === 0) return null;
  return [...paths]
    .slice(0, PATHS_MAX)
    .map((path) => `state${path} = ${shorten(valueAt(state, path.split('.').slice(1)))}`)
    .join(', ');
}

function valueAt(state: unknown, path: readonly string[]): unknown {
  let at = state;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return null;
    at = Object.entries(at).find(([name]) => name === key)?.[1];
  }
  return at;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= VALUE_MAX ? text : `${text.slice(0, VALUE_MAX - 1)}…`;
}
