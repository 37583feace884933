import { listWebhooks as list } from '../../../shared/engine/webhooks/list-webhooks.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { shapeWebhook, webhookShape } from './webhook-shape.ts';

export const listWebhooks = defineEndpoint({
  name: 'list-webhooks',
  method: 'GET',
  path: '/webhooks',
  access: 'write',
  summary: 'Lists the tenant’s webhooks, newest first',
  replies: { 200: z.object({ webhooks: z.array(webhookShape) }) },
  async handle({ caller }, { engine }) {
    const found = await list(engine, caller);
    return { status: 200, body: { webhooks: found.map(shapeWebhook) } };
  },
});
