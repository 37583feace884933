import { conflict, notFound } from '../../domain/errors.ts';
import type { Caller } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { WEBHOOKS_TOPIC } from '../wake/wake-bus.ts';

/**
 * Sends a message that was delivered or given up again, under the same `webhook-id`. Its attempts
 * stay: after all the attempts of a message it gets one more.
 */
export async function redeliverMessage(
  { store, wake }: EngineDeps,
  { tenantId, actorId }: Caller,
  { webhookId, messageId }: { readonly webhookId: string; readonly messageId: string },
): Promise<void> {
  const deliveryId = DELIVERY.exec(messageId)?.[1];
  const found =
    deliveryId === undefined
      ? null
      : await store.webhooks.redeliver({ tenantId, webhookId, deliveryId, actorId });
  if (found === null) throw notFound(`message ${messageId} of webhook ${webhookId}`);
  if (found === 'pending') throw conflict(`message ${messageId} is still being delivered`);
  if (found === 'disabled') {
    throw conflict(`webhook ${webhookId} is disabled; create it again and delete this one`);
  }
  wake.notify([WEBHOOKS_TOPIC]);
}

const DELIVERY = /^msg_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
