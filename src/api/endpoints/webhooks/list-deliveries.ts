import { listDeliveries as list } from '../../../shared/engine/webhooks/list-webhooks.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { type OffsetPage, readPage } from '../../offset-max.ts';
import { columnsText, encodePosition } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

const idCursor = columnsText((columns) => z.tuple([z.uuid()]).safeParse(columns).data?.[0] ?? null);

export const listDeliveries = defineEndpoint({
  name: 'list-deliveries',
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  access: 'write',
  summary: 'Lists the messages of a webhook, newest first',
  note: 'Follow `next_cursor` for more. Kept for 30 days after a message was delivered or given up.',
  params: idParam('Webhook id.'),
  query: z.object({ ...paging, cursor: optionalQuery(idCursor) }),
  replies: {
    200: z.object({
      deliveries: z.array(
        z.object({
          id: z.string().meta({ description: 'As the receiver gets it in `webhook-id`.' }),
          execution_id: executionId,
          event_type: z.string(),
          status: z.enum(['pending', 'delivered', 'failed']),
          attempts: z.int(),
          next_attempt_at: timestamp.nullable(),
          last_status: z.int().nullable(),
          last_error: z.string().nullable(),
          created_at: timestamp,
          ended_at: timestamp.nullable(),
        }),
      ),
      next_cursor: nextCursor,
    }),
  },
  errors: [404],
  async handle({ params, query, caller }, { engine }) {
    const read = (page: OffsetPage) =>
      list(engine, caller, { webhookId: params.id, after: query.cursor, ...page });
    const { rows: deliveries, last } = await readPage(query, read);
    return {
      status: 200,
      body: {
        deliveries: deliveries.map((delivery) => ({
          id: `msg_${delivery.deliveryId}`,
          execution_id: delivery.executionId,
          event_type: delivery.eventType,
          status: delivery.status,
          attempts: delivery.attempts,
          next_attempt_at: delivery.nextAttemptAt,
          last_status: delivery.lastStatus,
          last_error: delivery.lastError,
          created_at: delivery.createdAt,
          ended_at: delivery.endedAt,
        })),
        next_cursor: last === undefined ? null : encodePosition([last.deliveryId]),
      },
    };
  },
});
