import { isMemoryTier, type MemoryTier } from '../../domain/memory/tiers.ts';
import type { Reader } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';

export interface MemoryStats {
  /** Facts ever added: what the quota counts. */
  readonly count: number;
  readonly quota: number;
  readonly tier: MemoryTier;
  /** Facts that are not forgotten. */
  readonly live: number;
}

export async function readMemoryStats(
  { store, defaultTier, quotas }: MemoryDeps,
  { tenantId }: Reader,
): Promise<MemoryStats> {
  const usage = await store.readUsage(tenantId);
  const tier = isMemoryTier(usage.tier) ? usage.tier : defaultTier;
  return { count: usage.added, quota: quotas[tier], tier, live: usage.live };
}
