import { badRequest } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { flowKeyOf, placeKeyOf } from '../../domain/workflow/flow/flow-key.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { AwaitedPlace } from '../../store/commit.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { EngineDeps } from '../deps.ts';

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

/** The same of an execution that was started before; null also if it is gone. */
export async function findAwaitedPlace(
  deps: Pick<EngineDeps, 'store' | 'definitions'>,
  { executionId }: { readonly executionId: ExecutionId },
): Promise<AwaitedPlace | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return null;
  const { plan } = await deps.definitions.get(loaded.row.definitionId);
  if (plan.concurrency === null) return null;
  return awaitedPlaceOf(plan, foldLoaded(loaded, plan).input);
}
