import type { TenantId } from '../../domain/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import type { PlaceStore } from '../../store/places.ts';
import type { EngineReport } from '../report.ts';
import type { RoundResult } from '../scheduling/round-result.ts';
import { runTopic } from '../wake/wake-for.ts';

/** Executions of one tenant that begin by one statement. */
const ADMITTED_MAX = 200;

/** Gives places of these tenants' limits to the executions that wait for one, in their order. */
export async function admitTenants(
  deps: {
    readonly places: Pick<PlaceStore, 'admit'>;
    readonly wake: Pick<Wake, 'notify'>;
    readonly report: Pick<EngineReport, 'count' | 'observe'>;
  },
  tenants: readonly TenantId[],
): Promise<RoundResult> {
  const { places, wake, report } = deps;
  const reason = 'max_concurrent_executions';
  let found = 0;
  let more = false;
  for (const tenantId of tenants) {
    const admitted = await places.admit({ tenantId, limit: ADMITTED_MAX });
    report.count('executions_admitted', admitted.length, { reason });
    for (const { waitedMs } of admitted) {
      report.observe('execution_wait_seconds', waitedMs / 1_000, { reason });
    }
    const shards = new Set(admitted.map(({ shard }) => shard));
    if (shards.size > 0) wake.notify([...shards].map(runTopic));
    found += admitted.length;
    more ||= admitted.length >= ADMITTED_MAX;
  }
  return { found, more };
}
