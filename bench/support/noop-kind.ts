import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { NodeKind } from '../../src/shared/domain/workflow/plan.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';

/** A node with an outside effect that is nothing: leased, run, settled and committed like any other. */
export const noopKind: NodeKind<JsonObject> = {
  type: 'noop',
  aliases: [],
  leaf: true,
  toolLike: false,
  parse: (fields) => fields,
  enter: (spec, { scope }) => ({ do: 'work', queue: 'engine', input: scope.state, payload: spec }),
};

export const noopRunner: NodeRunner = {
  run: async () => ({ ok: true, output: {}, statePatch: {} }),
};

/** Nodes one after the other. */
export function chainOf(length: number, kind: JsonObject | string): JsonObject {
  const ids = Array.from({ length }, (_, index) => `step${index}`);
  return {
    start_node: 'step0',
    nodes: Object.fromEntries(ids.map((id) => [id, { kind }])),
    edges: ids.slice(1).map((to, index) => ({ from: `step${index}`, to })),
  };
}
