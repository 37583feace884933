import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import type { RunnableKind } from '../../src/shared/nodes/runnable-kind.ts';

/**
 * A node whose outside effect does nothing. The engine leases, runs, settles and commits it as
 * usual.
 */
export const noopKind: RunnableKind<JsonObject, NodeRunner> = {
  type: 'noop',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  runner: (given) => given,
  enter: (spec) => ({ do: 'work', queue: 'engine', input: {}, payload: spec }),
};

/** `patch`: every node writes it to the state. */
export function createNoopRunner(
  patch: JsonObject = {},
  on: { began?: (executionId: string) => void; ended?: (executionId: string) => void } = {},
): NodeRunner {
  return {
    run: async ({ executionId }) => {
      on.began?.(executionId);
      on.ended?.(executionId);
      return { ok: true, output: {}, statePatch: patch };
    },
  };
}

/** Nodes in sequence. */
export function chainOf(length: number, kind: JsonObject | string): JsonObject {
  const ids = Array.from({ length }, (_, index) => `step${index}`);
  return {
    start_node: 'step0',
    nodes: Object.fromEntries(ids.map((id) => [id, { kind }])),
    edges: ids.slice(1).map((to, index) => ({ from: `step${index}`, to })),
  };
}

/** Parallel nodes, and one node that waits for all of them. */
export function fanOf(width: number, kind: JsonObject | string): JsonObject {
  const ids = Array.from({ length: width }, (_, index) => `branch${index}`);
  return {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ids } },
      ...Object.fromEntries(ids.map((id) => [id, { kind }])),
      all: { kind: { type: 'join', wait_for: ids, merge_strategy: 'collect' } },
    },
  };
}
