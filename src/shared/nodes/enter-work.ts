import { evaluateMapping } from '../domain/expression/mapping.ts';
import type { EvaluationResult } from '../domain/expression/expression.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { WorkQueue } from '../domain/work/work-item.ts';
import type { QueueOfCall } from '../domain/workflow/flow/call-quota.ts';
import type { EnterContext, Entry } from '../domain/workflow/plan/plan.ts';
import { failExpression } from './fail-entry.ts';

/** Hands a node to workers, or to a runner of this engine: coordinates, what to call, the input. */
export function enterWork<Queue extends WorkQueue>(params: {
  readonly queue: Queue;
  readonly call: JsonObject;
  readonly context: EnterContext;
  /** The queue of the call, where its input may be one that has none. */
  readonly queueOf?: (input: JsonValue) => QueueOfCall;
}): Entry<Queue> {
  const { queue, call, context, queueOf } = params;
  const input = evaluateInput(context);
  if (!input.ok) return failExpression(input.message);
  const waits = queueOf?.(input.value);
  if (waits?.ok === false) return failExpression(waits.message);
  return { do: 'work', queue, input: input.value, payload: { ...coordinates(context), ...call } };
}

export function coordinates(context: EnterContext): JsonObject {
  return {
    workflow_id: context.workflowId,
    workflow_version: context.workflowVersion,
    node_id: context.node.id,
  };
}

/** The input that a function continued with, else the mapped input, else the whole state; for an item of a `map`, with the item under its key. */
export function evaluateInput({ node, scope, item, input }: EnterContext): EvaluationResult {
  if (input !== undefined) return { ok: true, value: input };
  if (node.inputMapping !== null) return evaluateMapping(node.inputMapping, scope);
  if (item === undefined || item === null) return { ok: true, value: scope.state };
  return { ok: true, value: { ...scope.state, [item.key]: item.value } };
}
