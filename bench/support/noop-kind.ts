import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import type { RunnableKind } from '../../src/shared/nodes/runnable-kind.ts';

/** A node with an outside effect that is nothing: leased, run, settled and committed like any other. */
export const noopKind: RunnableKind<JsonObject, NodeRunner> = {
  type: 'noop',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  runner: (given) => given,
  enter: (spec) => ({ do: 'work', queue: 'engine', input: {}, payload: spec }),
};

/** `patch`: what every node writes into the state. */
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

/** Nodes one after the other. */
export function chainOf(length: number, kind: JsonObject | string): JsonObject {
  const ids = Array.from({ length }, (_, index) => `step${index}`);
  return {
    start_node: 'step0',
    nodes: Object.fromEntries(ids.map((id) => [id, { kind }])),
    edges: ids.slice(1).map((to, index) => ({ from: `step${index}`, to })),
  };
}

/** Nodes side by side, and one that waits for them all. */
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
