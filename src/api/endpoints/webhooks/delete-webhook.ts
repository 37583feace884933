import { deleteWebhook as remove } from '../../../shared/engine/webhooks/list-webhooks.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { shapeWebhook, webhookShape } from './webhook-shape.ts';

export const deleteWebhook = defineEndpoint({
  name: 'delete-webhook',
  method: 'DELETE',
  path: '/webhooks/:id',
  access: 'write',
  summary: 'Deletes a webhook with its pending messages',
  params: idParam('Webhook id.'),
  replies: { 200: webhookShape },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const webhook = await remove(engine, caller, { webhookId: params.id });
    return { status: 200, body: shapeWebhook(webhook) };
  },
});
