import {
  evaluateExpression,
  isTruthy,
  shareSteps,
  type StepBudget,
} from '../expression/evaluate-expression.ts';
import { METER, type StepMeter } from '../expression/step-budget.ts';
import type { JsonValue } from '../json.ts';
import {
  END_TARGET,
  type ExpressionScope,
  type Plan,
  type PlanEdge,
} from '../workflow/plan/plan.ts';
import type { Draft } from './draft.ts';
import type { ExecutionState } from './state.ts';

/**
 * Puts a token on every edge that an ended visit takes: all conditional edges that hold, or the
 * unconditional ones if no condition holds. `targets` is a kind's own choice and replaces the
 * edges. Conditions see the state at this event, so the same history always routes the same way.
 * False when the visit has no edge to take.
 */
export function routeFrom(params: {
  readonly draft: Draft;
  readonly plan: Plan;
  readonly meter?: StepMeter | undefined;
  readonly nodeId: string;
  readonly on: PlanEdge['on'];
  readonly output: JsonValue;
  readonly targets: readonly string[] | null;
}): boolean {
  const { draft, plan, nodeId, output } = params;
  const chosen = params.targets ?? chooseTargets(params);
  const known = [...new Set(chosen)].filter((to) => to !== END_TARGET && plan.nodes.has(to));
  if (known.length > 0) {
    draft.arrivals = [...draft.arrivals, ...known.map((to) => ({ from: nodeId, to, output }))];
  }
  return chosen.length > 0;
}

function chooseTargets(params: {
  readonly draft: Draft;
  readonly plan: Plan;
  readonly meter?: StepMeter | undefined;
  readonly nodeId: string;
  readonly on: PlanEdge['on'];
  readonly output: JsonValue;
}): string[] {
  const { draft, plan, nodeId, on, output } = params;
  const edges = plan.nodes.get(nodeId)?.edges.filter((edge) => edge.on === on) ?? [];
  const scope = scopeOf(draft, output);
  const held: string[] = [];
  let steps: StepBudget | null = null;
  for (const edge of edges) {
    if (edge.condition === null) continue;
    steps ??= shareSteps({ [METER]: params.meter });
    const result = evaluateExpression(edge.condition, scope, steps);
    if (!result.ok) {
      draft.fatal ??= {
        nodeId,
        error: `the edge from ${nodeId} to ${edge.to} could not be judged: ${result.message}`,
        errorClass: 'expression_error',
      };
      return [];
    }
    if (isTruthy(result.value)) held.push(edge.to);
  }
  if (held.length > 0) return held;
  return edges.filter((edge) => edge.condition === null).map((edge) => edge.to);
}

/**
 * The values that expressions see of an execution now; those of finalizers also see how it ends.
 */
export function scopeOf(draft: ExecutionState, output: JsonValue): ExpressionScope {
  return {
    state: draft.data,
    output,
    input: draft.input,
    execution: {
      id: draft.executionId,
      workflow_id: draft.workflowId,
      workflow_version: draft.workflowVersion,
      ...(draft.ending !== null && {
        outcome: draft.ending.outcome,
        error: draft.ending.failure?.error ?? null,
      }),
    },
  };
}
