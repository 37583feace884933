import type { MemoryStore } from '../memory.ts';
import type { PostgresPool } from './connect.ts';
import { createFactChanges } from './memory-changes.ts';
import { createFacts } from './memory-facts.ts';
import { createMemorySettings } from './memory-settings.ts';
import { createMemoryUsage } from './memory-usage.ts';

export function createMemoryStore(pool: PostgresPool): MemoryStore {
  return {
    ...createMemorySettings(pool),
    ...createMemoryUsage(pool),
    ...createFacts(pool),
    ...createFactChanges(pool),
  };
}
