import type { TenantId } from '../../domain/ids.ts';
import { isMemoryTier } from '../../domain/memory/tiers.ts';
import type { MemoryDeps } from './deps.ts';
import type { MemoryStats } from './memory.ts';

export async function readStats(
  { store, defaultTier, quotas }: MemoryDeps,
  { tenantId }: { readonly tenantId: TenantId },
): Promise<MemoryStats> {
  const usage = await store.readUsage(tenantId);
  const tier = isMemoryTier(usage.tier) ? usage.tier : defaultTier;
  return { count: usage.added, quota: quotas[tier], tier, live: usage.live };
}
