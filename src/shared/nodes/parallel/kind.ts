import {
  evaluateExpression,
  isTruthy,
  shareSteps,
} from '../../domain/expression/evaluate-expression.ts';
import type { JsonValue } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { NodeReference, ParseContext } from '../../domain/workflow/plan/plan.ts';
import { END_TARGET } from '../../domain/workflow/plan/plan.ts';
import { anyOf, list, object, ref } from '../../domain/workflow/schema/fields.ts';
import { failExpression } from '../fail-entry.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface ParallelSpec {
  readonly branches: readonly NodeReference[];
}

/**
 * Starts every branch, and everything else its edges lead to: unlike after other nodes, edges
 * without a condition are taken even when one with a condition is.
 */
export const parallelKind: RunnableKind<ParallelSpec> = {
  type: 'parallel',
  aliases: [],
  fields: {
    branches: list(
      'The nodes that start. Without it the edges of the node say.',
      anyOf('The id of a node, or {target}.', [
        { $ref: '#/$defs/Target' },
        object('A branch.', { target: ref('Target', 'The node that starts.') }, ['target']),
      ]),
    ),
  },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    const branches = fields['branches'] ?? null;
    if (branches === null && at.outEdges.length > 0) return { branches: [] };
    if (!Array.isArray(branches)) {
      const message = 'must be a list of node ids';
      at.problem('/branches', branches === null ? `missing branches: ${message}` : message);
      return null;
    }
    const read = branches.map((branch, index) => readBranch(branch, `/branches/${index}`, at));
    return { branches: read.filter((branch) => branch !== null) };
  },

  edges: ({ branches }) => branches.map((branch) => ({ ...branch, on: 'success' })),

  enter(_spec, { node, scope }) {
    const targets = new Set<string>();
    const steps = shareSteps(scope);
    for (const { to, on, condition } of node.edges) {
      if (on === 'failure' || to === END_TARGET) continue;
      if (condition !== null) {
        const result = evaluateExpression(condition, scope, steps);
        if (!result.ok) return failExpression(result.message);
        if (!isTruthy(result.value)) continue;
      }
      targets.add(to);
    }
    return { do: 'complete', output: { targets: [...targets] }, targets: [...targets] };
  },
};

/** A branch is a node's id, or an object that names it as its `target`. */
function readBranch(raw: JsonValue, pointer: string, at: ParseContext): NodeReference | null {
  const isObject = isJsonObject(raw);
  const to = isObject ? (raw['target'] ?? null) : raw;
  if (typeof to === 'string') return { to, pointer: isObject ? `${pointer}/target` : pointer };
  at.problem(pointer, 'must be the id of a node');
  return null;
}
