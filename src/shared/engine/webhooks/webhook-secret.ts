import { badRequest } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { SealedSecret, SecretBox } from '../../ports/secret-box.ts';

/** As it is kept: a webhook's secret opens for that webhook alone. */
export function sealWebhookSecret(
  secrets: SecretBox,
  webhook: { readonly webhookId: string; readonly tenantId: TenantId; readonly secret: string },
): string {
  if (secrets.currentKeyId() === null) throw badRequest(NO_KEY);
  const { keyId, box } = secrets.seal({ tenantId: ownerOf(webhook), secret: webhook.secret });
  return JSON.stringify({ key_id: keyId, box });
}

/** Null when none of the keys known here opens it. */
export function openWebhookSecret(
  secrets: SecretBox,
  webhook: { readonly webhookId: string; readonly tenantId: TenantId; readonly secret: string },
): string | null {
  const { key_id: keyId, box } = JSON.parse(webhook.secret) as Record<string, string>;
  const sealed: SealedSecret = { keyId: keyId ?? '', box: box ?? '' };
  return secrets.open({ tenantId: ownerOf(webhook), sealed });
}

/** Id of the encryption key that it is sealed with. */
export function keyIdOf(sealed: string): string {
  return (JSON.parse(sealed) as Record<string, string>)['key_id'] ?? '';
}

/** Provider keys are sealed for the bare tenant; nothing that is sealed for it opens here. */
function ownerOf(webhook: { readonly webhookId: string; readonly tenantId: TenantId }): TenantId {
  return `${webhook.tenantId}/webhooks/${webhook.webhookId}` as TenantId;
}

const NO_KEY =
  'webhook secrets cannot be kept, as this service has no encryption key: ' +
  'set SVC_ENCRYPTION_KEY to 32 random bytes in base64 (openssl rand -base64 32) and restart it';
