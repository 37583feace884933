import { z } from 'zod';

import { redeliverMessage as redeliver } from '../../../shared/engine/webhooks/redeliver-message.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const redeliverMessage = defineEndpoint({
  name: 'redeliver-message',
  method: 'POST',
  path: '/webhooks/:id/deliveries/:delivery_id/redeliver',
  access: 'write',
  summary: 'Sends a message of a webhook again',
  note:
    'For messages that were delivered or given up; the `webhook-id` stays the same. A pending ' +
    'message and a disabled webhook are a 409.',
  params: z.object({
    id: z.string().meta({ description: 'Webhook id.' }),
    delivery_id: z.string().meta({ description: '`id` of the message in the list.' }),
  }),
  replies: { 202: z.object({ id: z.string(), status: z.literal('pending') }) },
  errors: [404, 409],
  async handle({ params, caller }, { engine }) {
    const messageId = params.delivery_id;
    await redeliver(engine, caller, { webhookId: params.id, messageId });
    return { status: 202, body: { id: messageId, status: 'pending' } };
  },
});
