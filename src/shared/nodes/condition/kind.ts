import {
  evaluateExpression,
  isTruthy,
  shareSteps,
} from '../../domain/expression/evaluate-expression.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ParseContext } from '../../domain/workflow/plan/plan.ts';
import { END_TARGET } from '../../domain/workflow/plan/plan.ts';
import { list, object, ref } from '../../domain/workflow/schema/fields.ts';
import { failExpression } from '../fail-entry.ts';
import { readExpression, readName } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface Branch {
  /** Null: the default. */
  readonly condition: Expression | null;
  readonly target: string;
  readonly pointer: string;
}

interface ConditionSpec {
  readonly branches: readonly Branch[];
}

/**
 * Chooses one successor: the first branch whose condition is true, else the branch without one,
 * else none. Without `branches`, the node's edges are its branches.
 */
export const conditionKind: RunnableKind<ConditionSpec> = {
  type: 'condition',
  aliases: ['branch'],
  fields: {
    branches: list(
      'The first branch whose condition holds is taken. Without it the edges of the node say.',
      object(
        'A branch.',
        {
          condition: ref('Condition', 'Without one it is taken when no other is.'),
          target: ref('Target', 'The node that it leads to.'),
        },
        ['target'],
      ),
    ),
  },
  leaf: false,
  toolLike: false,
  branchesOnly: true,

  parse(fields, at) {
    const branches = fields['branches'] ?? null;
    if (branches === null && at.outEdges.length > 0) return readEdges(at);
    if (!Array.isArray(branches)) {
      const message = 'must be a list of branches {condition, target}';
      at.problem('/branches', branches === null ? `missing branches: ${message}` : message);
      return null;
    }
    const read = branches.map((branch, index) => readBranch(branch, `/branches/${index}`, at));
    return warnDefaults({ branches: read.filter((branch) => branch !== null) }, at);
  },

  edges: ({ branches }) =>
    branches.map(({ target, pointer }) => ({ to: target, pointer, on: 'success' })),

  enter({ branches }, { scope }) {
    const steps = shareSteps(scope);
    for (const { condition, target } of branches) {
      if (condition === null) continue;
      const result = evaluateExpression(condition, scope, steps);
      if (!result.ok) return failExpression(result.message);
      if (isTruthy(result.value)) return choose(target);
    }
    return choose(branches.find(({ condition }) => condition === null)?.target ?? null);
  },
};

function choose(target: string | null) {
  const targets = target === null || target === END_TARGET ? [] : [target];
  return { do: 'complete', output: { target }, targets } as const;
}

function readBranch(raw: JsonValue, pointer: string, at: ParseContext): Branch | null {
  if (!isJsonObject(raw)) {
    at.problem(pointer, 'a branch must be an object {condition, target}');
    return null;
  }
  const target = readName(raw, 'target', {
    ...at,
    problem: (below, message) => at.problem(pointer + below, message),
  });
  const condition = readCondition(raw, `${pointer}/condition`, at);
  if (target === null || condition === undefined) return null;
  return { condition, target, pointer: `${pointer}/target` };
}

/** `undefined`: reported. */
function readCondition(
  raw: JsonObject,
  pointer: string,
  at: ParseContext,
): Expression | null | undefined {
  const value = raw['condition'] ?? null;
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return readExpression(String(value), pointer, at) ?? undefined;
  if (typeof value === 'string') return readExpression(value, pointer, at) ?? undefined;
  at.problem(pointer, 'must be an expression');
  return undefined;
}

/** Errors in the edges themselves are reported at their places. */
function readEdges(at: ParseContext): ConditionSpec {
  const branches = at.outEdges
    .filter(({ to }) => to === END_TARGET || at.nodeIds.has(to))
    .map(({ to, condition }) => ({
      condition: condition === null ? null : readExpression(condition, '', silent(at)),
      target: to,
      pointer: '',
    }));
  return warnDefaults({ branches }, at);
}

function silent(at: ParseContext): ParseContext {
  return { ...at, problem: () => undefined };
}

function warnDefaults(spec: ConditionSpec, at: ParseContext): ConditionSpec {
  const defaults = spec.branches.filter(({ condition }) => condition === null);
  if (defaults.length > 1) {
    at.warn(
      'never_taken',
      defaults[1]?.pointer ?? '',
      'never taken: there is an earlier branch without condition',
    );
  }
  return spec;
}
