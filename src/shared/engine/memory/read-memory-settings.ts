import type { Reader } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';
import { viewSettings, type SettingsView } from './settings-view.ts';

export async function readMemorySettings(
  { store }: MemoryDeps,
  { tenantId }: Reader,
): Promise<SettingsView> {
  return viewSettings(await store.readSettings(tenantId));
}
