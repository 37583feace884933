import { z } from 'zod';

import { listForks as list } from '../../../../shared/engine/executions/fork/list-forks.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { auditCursor, cursorOfPlace } from '../../../schemas/audit-cursor.ts';
import { executionParam } from '../../../schemas/params.ts';
import { nextCursor, optionalQuery, queryInteger } from '../../../schemas/query.ts';
import { executionId, timestamp } from '../../../schemas/text.ts';
import { EXECUTION_STATUSES } from '../../../../shared/domain/execution/status.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 100;

export const listForks = defineEndpoint({
  name: 'list-forks',
  method: 'GET',
  path: '/executions/:id/forks',
  access: 'read',
  summary: 'Lists the forks of an execution, newest first',
  note:
    'The direct forks that exist. A page may hold fewer than `limit`: a fork that was refused, or ' +
    'that retention has removed, is left out.',
  params: executionParam,
  query: z.object({
    limit: queryInteger({ min: 1, fallback: LIMIT_DEFAULT, clampTo: LIMIT_MAX }),
    cursor: optionalQuery(auditCursor),
  }),
  replies: {
    200: z.object({
      forks: z.array(
        z.object({
          execution_id: executionId,
          status: z.enum(EXECUTION_STATUSES),
          sequence: z.int(),
          node_id: z.string().nullable(),
          actor_id: z.string(),
          forked_at: timestamp,
        }),
      ),
      next_cursor: nextCursor,
    }),
  },
  errors: [404],
  async handle({ params, query, caller }, { engine }) {
    const { forks, next } = await list(engine, caller, {
      executionId: params.id,
      after: query.cursor,
      limit: query.limit,
    });
    return {
      status: 200,
      body: {
        forks: forks.map((fork) => ({
          execution_id: fork.executionId,
          status: fork.status,
          sequence: fork.sequence,
          node_id: fork.nodeId,
          actor_id: fork.actorId,
          forked_at: fork.forkedAt,
        })),
        next_cursor: next === null ? null : cursorOfPlace(next),
      },
    };
  },
});
