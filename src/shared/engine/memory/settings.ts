import type { TenantId } from '../../domain/ids.ts';
import { keyInvalid, keyMissing, memoryDisabled } from '../../domain/memory/errors.ts';
import type { MemorySettings } from '../../store/memory.ts';
import type { MemoryDeps } from './deps.ts';
import type { Memory, SettingsView } from './memory.ts';

export async function readSettings(
  { store }: MemoryDeps,
  { tenantId }: { readonly tenantId: TenantId },
): Promise<SettingsView> {
  const settings = await store.readSettings(tenantId);
  return settings === null ? UNSET : viewOf(settings);
}

/** A key is not tried before it is kept: `settings/test` is there for that. */
export async function saveSettings(
  { store, secrets }: MemoryDeps,
  params: Parameters<Memory['saveSettings']>[0],
): Promise<SettingsView> {
  const { tenantId, provider, apiKey, enabled, actorId } = params;
  const key = secrets.seal({ tenantId, secret: apiKey });
  return viewOf(await store.saveSettings({ tenantId, provider, key, enabled, actorId }));
}

export async function changeSettings(
  { store }: MemoryDeps,
  params: Parameters<Memory['changeSettings']>[0],
): Promise<SettingsView> {
  return viewOf(await store.setEnabled(params));
}

export async function testSettings(
  { embedder }: MemoryDeps,
  { apiKey }: Parameters<Memory['testSettings']>[0],
): Promise<string | null> {
  const embedding = await embedder.embed({ apiKey, text: 'test' });
  if (embedding.ok) return null;
  switch (embedding.reason) {
    case 'key_invalid':
      return 'the provider does not accept this key';
    case 'rate_limited':
      return 'the provider limits the rate of requests with this key, or its credit is used up';
    case 'text_refused':
      return 'the provider does not offer the embedding model to this key';
    case 'unavailable':
      return `the embedding provider ${embedding.detail}`;
  }
}

/**
 * The key to embed with, or the error that says why there is none: 403 while memory is off, which it
 * is until somebody saves settings, else 400.
 */
export async function requireKey(
  { store, secrets }: MemoryDeps,
  tenantId: TenantId,
): Promise<string> {
  const settings = await store.readSettings(tenantId);
  if (settings === null || !settings.enabled) throw memoryDisabled();
  if (settings.key === null) throw keyMissing();
  const apiKey = secrets.open({ tenantId, sealed: settings.key });
  if (apiKey === null) throw keyInvalid("cannot be opened with this service's encryption key");
  return apiKey;
}

const UNSET: SettingsView = { provider: null, enabled: false, configured: false };

function viewOf({ provider, enabled, key }: MemorySettings): SettingsView {
  return { provider, enabled, configured: key !== null };
}
