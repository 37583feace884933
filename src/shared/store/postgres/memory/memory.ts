import type { MemoryStore } from '../../memory.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { createFactChanges } from './changes.ts';
import { createFacts } from './facts.ts';
import { createMemorySettings } from './settings.ts';
import { createMemoryUsage } from './usage.ts';

export function createMemoryStore(pool: PostgresPool): MemoryStore {
  return {
    ...createMemorySettings(pool),
    ...createMemoryUsage(pool),
    ...createFacts(pool),
    ...createFactChanges(pool),
  };
}
