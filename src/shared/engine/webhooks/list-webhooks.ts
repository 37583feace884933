import { notFound } from '../../domain/errors.ts';
import type { Webhook, WebhookDelivery } from '../../domain/webhooks/webhook.ts';
import type { Caller, Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

interface WebhookName {
  readonly webhookId: string;
}

export function listWebhooks(
  { store }: EngineDeps,
  { tenantId }: Reader,
): Promise<readonly Webhook[]> {
  return store.webhooks.list(tenantId);
}

/** The webhook as it was. */
export async function deleteWebhook(
  { store }: EngineDeps,
  { tenantId, actorId }: Caller,
  { webhookId }: WebhookName,
): Promise<Webhook> {
  return (await store.webhooks.remove({ tenantId, actorId, webhookId })) ?? missing(webhookId);
}

export async function listDeliveries(
  { store }: EngineDeps,
  { tenantId }: Reader,
  params: WebhookName & {
    /** Only messages older than this one; null: from the newest. */
    readonly after: string | null;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly WebhookDelivery[]> {
  return (await store.webhooks.deliveries({ ...params, tenantId })) ?? missing(params.webhookId);
}

function missing(webhookId: string): never {
  throw notFound(`webhook ${webhookId}`);
}
