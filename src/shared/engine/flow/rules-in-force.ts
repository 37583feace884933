import type { TenantId } from '../../domain/ids.ts';
import type { FlowRules } from '../../domain/workflow/flow/given-rules.ts';
import { withLimitsOf } from '../../domain/workflow/flow/limits-in-force.ts';
import type { EngineDeps } from '../deps.ts';

/**
 * The rules of an execution, with the limits of the version that is registered last in place of those of the
 * version that it runs. Limits that its start brought stay.
 */
export async function rulesInForce(
  deps: Pick<EngineDeps, 'definitions'>,
  { tenantId, rules }: { readonly tenantId: TenantId; readonly rules: FlowRules },
): Promise<FlowRules> {
  const { workflowId, concurrency, rate, given } = rules;
  const isLimited = concurrency !== null && given?.has('concurrency') !== true;
  const isPaced = rate !== null && given?.has('rate') !== true;
  if (!isLimited && !isPaced) return rules;
  const last = await deps.definitions.latest({ tenantId, workflowId, version: null });
  return last === null ? rules : withLimitsOf(rules, last.plan);
}
