import type { MemoryStore } from '../memory.ts';
import type { Connection } from './connect.ts';
import { createFactChanges } from './memory-changes.ts';
import { createFacts } from './memory-facts.ts';
import { createMemorySettings } from './memory-settings.ts';
import { createMemoryUsage } from './memory-usage.ts';

export function createMemoryStore(connection: Connection): MemoryStore {
  return {
    ...createMemorySettings(connection),
    ...createMemoryUsage(connection),
    ...createFacts(connection),
    ...createFactChanges(connection),
  };
}
