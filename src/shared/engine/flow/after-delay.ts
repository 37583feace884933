import { queuesStarts } from '../../domain/tenant.ts';
import type { CommitPlan } from '../../store/commit.ts';
import type { DueTimer } from '../../store/store.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { EngineDeps } from '../deps.ts';
import { shardOf } from '../scheduling/shard-of.ts';
import { flowRulesOf } from './flow-rules.ts';
import { mayNeedPlace, neededPlaceOf, queued } from './needed-place.ts';
import { rulesInForce } from './rules-in-force.ts';

/**
 * Once its time has come, an execution waits for a place or a token of its key, or for a place of its
 * tenant. It waits in any case, as its start has been answered.
 */
export async function waitAfterDelay(
  deps: Pick<EngineDeps, 'store' | 'definitions' | 'tenants'>,
  { executionId, tenantId }: Pick<DueTimer, 'executionId' | 'tenantId'>,
): Promise<Partial<CommitPlan>> {
  const begins = { runnable: 'mark' } as const;
  const loaded = await deps.store.executions.load(executionId, null);
  if (loaded === null) return begins;
  const compiled = await deps.definitions.get(loaded.row.definitionId);
  const tenant = await deps.tenants.get(tenantId);
  const isLimited = tenant.limits.max_concurrent_executions !== undefined;
  const state = foldLoaded(loaded, compiled.plan);
  const rules = flowRulesOf(compiled, state.startRules);
  if (!isLimited && !mayNeedPlace(rules)) return begins;
  // It fails, because it has missed its deadline.
  if (state.startWait?.isOverdue === true) return begins;
  const needed = neededPlaceOf(await rulesInForce(deps, { tenantId, rules }), state);
  const shard = shardOf(executionId);
  const line = needed === null ? 'waiting' : 'later';
  return {
    // Refused if its deadline fires meanwhile; the next round fires it.
    expectedSequence: state.sequence,
    ...(needed === null ? begins : { entersQueue: { ...queued(needed), shard } }),
    ...(isLimited && { tenantLine: { state: line, shard, isNew: queuesStarts(tenant) } }),
  };
}
