import { z } from 'zod';

import { WEBHOOK_EVENT_TYPES, type Webhook } from '../../../shared/domain/webhooks/webhook.ts';
import { timestamp } from '../../schemas/text.ts';

export const webhookShape = z.object({
  webhook_id: z.string(),
  url: z.string(),
  event_types: z
    .array(z.enum(WEBHOOK_EVENT_TYPES))
    .nullable()
    .meta({ description: 'Null: all there are.' }),
  status: z
    .enum(['active', 'disabled'])
    .meta({ description: '`disabled`: the receiver answered 410, that it is gone.' }),
  created_at: timestamp,
});

export function shapeWebhook(webhook: Webhook): z.input<typeof webhookShape> {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    event_types: webhook.eventTypes === null ? null : [...webhook.eventTypes],
    status: webhook.status,
    created_at: webhook.createdAt,
  };
}
