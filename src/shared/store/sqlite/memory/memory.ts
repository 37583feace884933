import type { MemoryStore } from '../../memory.ts';
import type { Connection } from '../connection/connect.ts';
import { createFactChanges } from './changes.ts';
import { createFacts } from './facts.ts';
import { createMemorySettings } from './settings.ts';
import { createMemoryUsage } from './usage.ts';

export function createMemoryStore(connection: Connection): MemoryStore {
  return {
    ...createMemorySettings(connection),
    ...createMemoryUsage(connection),
    ...createFacts(connection),
    ...createFactChanges(connection),
  };
}
