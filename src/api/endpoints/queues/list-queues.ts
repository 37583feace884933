import { z } from 'zod';

import { readQueues } from '../../../shared/engine/overview/read-queues.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { timestamp } from '../../schemas/text.ts';

export const listQueues = defineEndpoint({
  name: 'list-queues',
  method: 'GET',
  path: '/queues',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists queues and tools with their work and workers',
  note: 'Queues with items that wait or are leased, and those with dead letters of the last hour.',
  replies: {
    200: z.object({
      queues: z.array(
        z.object({
          queue_type: z.string(),
          queue: z.string().nullable().meta({ description: 'Null: the default queue.' }),
          tool: z.string(),
          waiting: z.int(),
          oldest_at: timestamp.nullable(),
          leased: z.int(),
          failed_last_hour: z.int(),
          served_by: z.array(z.string()).meta({
            description:
              'Workers of the last 60 seconds that claim such items; empty: nobody does.',
          }),
        }),
      ),
      is_exact: z.boolean().meta({ description: 'False: there is more than was counted.' }),
    }),
  },
  async handle({ caller }, { engine }) {
    const { queues, isExact } = await readQueues(engine, caller);
    return {
      status: 200,
      body: {
        queues: queues.map((queue) => ({
          queue_type: queue.queue,
          queue: queue.queueName,
          tool: queue.tool,
          waiting: queue.waiting,
          oldest_at: queue.oldestAt,
          leased: queue.leased,
          failed_last_hour: queue.failed,
          served_by: [...queue.servedBy],
        })),
        is_exact: isExact,
      },
    };
  },
});
