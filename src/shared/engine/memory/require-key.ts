import type { TenantId } from '../../domain/ids.ts';
import { keyInvalid, keyMissing, memoryDisabled } from '../../domain/memory/errors.ts';
import type { MemoryDeps } from './deps.ts';

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
