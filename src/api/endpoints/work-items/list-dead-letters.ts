import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { executionId, instant, timestamp } from '../../schemas/text.ts';

export const listDeadLetters = defineEndpoint({
  name: 'list-dead-letters',
  method: 'GET',
  path: '/work-items',
  access: 'write',
  summary: 'Lists dead-lettered work items, newest first',
  query: z.object({
    status: z.literal('dead_lettered'),
    limit: paging.limit,
    before: optionalQuery(
      instant.meta({ description: 'Only items dead-lettered before this ISO 8601 instant.' }),
    ),
  }),
  replies: {
    200: z.object({
      work_items: z.array(
        z.object({
          id: z.string(),
          execution_id: executionId,
          node_id: z.string(),
          queue_type: z.string(),
          status: z.literal('dead_lettered'),
          tool: z.string(),
          attempt: z.int(),
          error: z.string(),
          dead_lettered_at: timestamp,
        }),
      ),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const letters = await engine.listDeadLetters({
      tenantId: caller.tenantId,
      limit: query.limit,
      before: query.before,
    });
    return {
      status: 200,
      body: {
        work_items: letters.map((letter) => ({
          id: letter.workItemId,
          execution_id: letter.executionId,
          node_id: letter.nodeId,
          queue_type: letter.queue,
          status: 'dead_lettered' as const,
          tool: letter.tool,
          attempt: letter.attempt,
          error: letter.error,
          dead_lettered_at: letter.deadLetteredAt,
        })),
      },
    };
  },
});
