import type { Caller } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';
import { viewSettings, type SettingsView } from './settings-view.ts';

/** Switches memory on or off. */
export async function changeMemorySettings(
  { store }: MemoryDeps,
  { tenantId, actorId }: Caller,
  { enabled }: { readonly enabled: boolean },
): Promise<SettingsView> {
  return viewSettings(await store.setEnabled({ tenantId, enabled, actorId }));
}
