import { badRequest } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { flowKeyOf, placeKeyOf } from '../../domain/workflow/flow/flow-key.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { AwaitedPlace } from '../../store/commit.ts';

/** The place that an execution with this input needs before it begins; null: none. */
export function awaitedPlaceOf(
  { workflowId, concurrency }: Pick<Plan, 'workflowId' | 'concurrency'>,
  input: JsonObject,
): AwaitedPlace | null {
  if (concurrency === null) return null;
  const found = flowKeyOf(concurrency.key, input);
  if (!found.ok) throw badRequest(`concurrency.key of the workflow: ${found.message}`);
  return { placeKey: placeKeyOf(workflowId, found.key), placesMax: concurrency.limit };
}
