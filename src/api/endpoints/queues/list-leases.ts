import { z } from 'zod';

import { listLeases as list, readLeasePlace } from '../../../shared/engine/overview/list-leases.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { encodePosition, columnsText } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

const cursorText = columnsText(readLeasePlace);

export const listLeases = defineEndpoint({
  name: 'list-leases',
  method: 'GET',
  path: '/leases',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists the work items that are leased now',
  note:
    'Items of the `engine` queue run inside the service and have no tool. One page looks through ' +
    'a bounded number of leases, so a page before the last may have fewer than `limit`, or none.',
  query: z.object({
    worker_id: optionalQuery(z.string()),
    limit: paging.limit,
    cursor: optionalQuery(cursorText),
  }),
  replies: {
    200: z.object({
      leases: z.array(
        z.object({
          work_item_id: z.string(),
          execution_id: executionId,
          workflow_id: z.string(),
          node_id: z.string(),
          attempt: z.int(),
          queue_type: z.string(),
          queue: z.string().nullable().meta({ description: 'Null: the default queue.' }),
          tool: z.string().nullable(),
          worker_id: z.string(),
          claimed_at: timestamp,
          expires_at: timestamp,
          deadline_at: timestamp.nullable().meta({
            description: 'End of the attempt, which heartbeats do not extend.',
          }),
        }),
      ),
      next_cursor: nextCursor,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { leases, next } = await list(engine, caller, {
      workerId: query.worker_id,
      limit: query.limit,
      after: query.cursor,
    });
    return {
      status: 200,
      body: {
        leases: leases.map((lease) => ({
          work_item_id: lease.workItemId,
          execution_id: lease.executionId,
          workflow_id: lease.workflowId,
          node_id: lease.nodeId,
          attempt: lease.attempt,
          queue_type: lease.queue,
          queue: lease.queueName,
          tool: lease.tool,
          worker_id: lease.workerId,
          claimed_at: lease.claimedAt,
          expires_at: lease.expiresAt,
          deadline_at: lease.deadlineAt,
        })),
        next_cursor: next === null ? null : encodePosition([next.executionId, next.workItemId]),
      },
    };
  },
});
