import { createWebhook as create } from '../../../shared/engine/webhooks/create-webhook.ts';
import { z } from 'zod';

import { WEBHOOK_EVENT_TYPES } from '../../../shared/domain/webhooks/webhook.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { HTTP_URL, omittable } from '../../schemas/text.ts';
import { shapeWebhook, webhookShape } from './webhook-shape.ts';

const URL_CHARACTERS_MAX = 2048;

export const createWebhook = defineEndpoint({
  name: 'create-webhook',
  method: 'POST',
  path: '/webhooks',
  access: 'write',
  summary: 'Creates a webhook for the tenant’s events',
  note:
    'Messages are `POST`ed as JSON `{type, timestamp, data}` and signed by the Standard ' +
    'Webhooks scheme (`webhook-id`, `webhook-timestamp`, `webhook-signature`). They arrive ' +
    'at least once, and in order for each execution. Messages without an answer from 200 to ' +
    '299 are sent again for about a day. Only this answer shows `secret`.',
  body: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(URL_CHARACTERS_MAX)
      .meta({ pattern: HTTP_URL, description: 'http or https, without credentials.' }),
    event_types: omittable(
      z.array(z.enum(WEBHOOK_EVENT_TYPES)).min(1, 'must name at least one'),
    ).meta({ description: 'Default: all there are.' }),
  }),
  replies: { 201: webhookShape.extend({ secret: z.string() }) },
  errors: [409],
  async handle({ body, caller }, { webhooks }) {
    const { webhook, secret } = await create(webhooks, caller, {
      url: body.url,
      eventTypes: body.event_types === null ? null : [...new Set(body.event_types)],
    });
    return { status: 201, body: { ...shapeWebhook(webhook), secret } };
  },
});
