import { badRequest } from '../../domain/errors.ts';
import type { Expression } from '../../domain/expression/expression.ts';
import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { flowKeyOf, lineKeyOf, placeKeyOf } from '../../domain/workflow/flow/flow-key.ts';
import { tokenIntervalUs } from '../../domain/workflow/flow/rate.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { AwaitedPlace } from '../../store/commit.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { EngineDeps } from '../deps.ts';

/** The place and the token that an execution with this input needs before it begins; null: neither. */
export function awaitedPlaceOf(
  { workflowId, concurrency, rate }: Pick<Plan, 'workflowId' | 'concurrency' | 'rate'>,
  { input, tenantId }: { readonly input: JsonObject; readonly tenantId: TenantId },
): AwaitedPlace | null {
  if (concurrency === null && rate === null) return null;
  const key = concurrency === null ? '' : readKey('concurrency', concurrency.key, input);
  const placeKey = placeKeyOf(workflowId, key);
  const placesMax = concurrency?.limit ?? null;
  if (rate === null) return { placeKey, placesMax };
  const rateKey = readKey('rate', rate.key, input);
  return {
    placeKey: lineKeyOf(workflowId, key, rateKey),
    placesMax,
    rate: {
      placesKey: concurrency === null ? null : placeKey,
      bucket: {
        key: `${tenantId}/start#${placeKeyOf(workflowId, rateKey)}`,
        intervalUs: tokenIntervalUs(rate),
        burst: rate.burst,
      },
    },
  };
}

function readKey(field: string, expression: Expression | null, input: JsonObject): string {
  const found = flowKeyOf(expression, input);
  if (!found.ok) throw badRequest(`${field}.key of the workflow: ${found.message}`);
  return found.key;
}

/** The same of an execution that was started before; null also if it is gone. */
export async function findAwaitedPlace(
  deps: Pick<EngineDeps, 'store' | 'definitions'>,
  { executionId }: { readonly executionId: ExecutionId },
): Promise<AwaitedPlace | null> {
  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return null;
  const { plan } = await deps.definitions.get(loaded.row.definitionId);
  if (plan.concurrency === null && plan.rate === null) return null;
  return awaitedPlaceOf(plan, foldLoaded(loaded, plan));
}
