import type { TenantId } from '../../domain/ids.ts';
import { withLimitsOf } from '../../domain/workflow/flow/limits-in-force.ts';
import type { EngineDeps } from '../deps.ts';
import type { FlowRules } from './needed-place.ts';

/** The rules of the version that an execution runs, with the limits of the one that is registered last. */
export async function rulesInForce(
  deps: Pick<EngineDeps, 'definitions'>,
  { tenantId, rules }: { readonly tenantId: TenantId; readonly rules: FlowRules },
): Promise<FlowRules> {
  const { workflowId, concurrency, rate } = rules;
  if (concurrency === null && rate === null) return rules;
  const last = await deps.definitions.latest({ tenantId, workflowId, version: null });
  return last === null ? rules : withLimitsOf(rules, last.plan);
}
