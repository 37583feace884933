import type { Caller } from '../caller.ts';
import type { MemoryDeps } from './deps.ts';
import { viewSettings, type Provider, type SettingsView } from './settings-view.ts';

export interface SaveMemorySettings {
  readonly provider: Provider;
  readonly apiKey: string;
  readonly enabled: boolean;
}

/** Keeps the key without a test of it: `settings/test` tests it. */
export async function saveMemorySettings(
  { store, secrets }: MemoryDeps,
  { tenantId, actorId }: Caller,
  { provider, apiKey, enabled }: SaveMemorySettings,
): Promise<SettingsView> {
  const key = secrets.seal({ tenantId, secret: apiKey });
  return viewSettings(await store.saveSettings({ tenantId, provider, key, enabled, actorId }));
}
