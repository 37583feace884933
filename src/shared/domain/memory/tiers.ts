/** How many facts a tenant may ever add, by tier. */
export const MEMORY_QUOTAS = {
  free: 10_000,
  starter: 100_000,
  team: 1_000_000,
  business: 5_000_000,
  enterprise: 50_000_000,
} as const;

export type MemoryTier = keyof typeof MEMORY_QUOTAS;
export const MEMORY_TIERS = ['free', 'starter', 'team', 'business', 'enterprise'] as const;

export function isMemoryTier(text: unknown): text is MemoryTier {
  return typeof text === 'string' && Object.hasOwn(MEMORY_QUOTAS, text);
}
