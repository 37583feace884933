import { z } from 'zod';

import { listFailures as list } from '../../../shared/engine/overview/list-failures.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, queryInteger } from '../../schemas/query.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

const HOURS_DEFAULT = 24;
const HOURS_MAX = 30 * 24;
const HOUR_MS = 60 * 60 * 1_000;

export const listFailures = defineEndpoint({
  name: 'list-failures',
  method: 'GET',
  path: '/failures',
  access: 'read',
  summary: 'Lists dead letters and failed executions by cause',
  note:
    'The cause is the message without numbers, ids, paths and quoted values. Failed executions count by ' +
    'the time when they began. The latest 2000 of each kind are read, from ' +
    'the latest 20,000 of each, in at most 100 groups.',
  query: z.object({
    within_hours: queryInteger({ min: 1, fallback: HOURS_DEFAULT, clampTo: HOURS_MAX }),
    workflow_id: optionalQuery(z.string()),
  }),
  replies: {
    200: z.object({
      since: timestamp,
      groups: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['work_item', 'execution']),
          cause: z.string(),
          workflow_id: z.string(),
          node_id: z.string().nullable(),
          tool: z.string().nullable(),
          queue_type: z.string().nullable(),
          count: z.int(),
          live: z.int().meta({ description: 'How many belong to executions that have not ended.' }),
          first_at: timestamp,
          last_at: timestamp,
          members: z
            .array(
              z.object({
                execution_id: executionId,
                work_item_id: z.string().nullable(),
                error: z.string(),
                failed_at: timestamp,
                live: z.boolean(),
              }),
            )
            .meta({ description: 'The latest 50.' }),
        }),
      ),
      is_exact: z.boolean().meta({ description: 'False: there were more than were read.' }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { since, groups, isExact } = await list(engine, caller, {
      withinMs: query.within_hours * HOUR_MS,
      workflowId: query.workflow_id,
    });
    return {
      status: 200,
      body: {
        since,
        groups: groups.map((group) => ({
          id: group.id,
          kind: group.kind,
          cause: group.cause,
          workflow_id: group.workflowId,
          node_id: group.nodeId,
          tool: group.tool,
          queue_type: group.queue,
          count: group.count,
          live: group.live,
          first_at: group.firstAt,
          last_at: group.lastAt,
          members: group.members.map((member) => ({
            execution_id: member.executionId,
            work_item_id: member.workItemId,
            error: member.error,
            failed_at: member.failedAt,
            live: member.isLive,
          })),
        })),
        is_exact: isExact,
      },
    };
  },
});
