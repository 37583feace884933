import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { instant } from '../../schemas/text.ts';
import { cursorOf, cursorText } from './cursor.ts';
import { executionStatus, executionSummary, shapeSummary } from './execution-shape.ts';

export const listExecutions = defineEndpoint({
  name: 'list-executions',
  method: 'GET',
  path: '/executions',
  access: 'read',
  summary: 'Lists executions, newest first',
  note: 'Follow `next_cursor` to read on: unlike `offset` it stays exact while executions start.',
  query: z.object({
    status: optionalQuery(executionStatus),
    workflow_id: optionalQuery(z.string()),
    created_after: optionalQuery(instant.meta({ description: 'ISO 8601, inclusive.' })),
    created_before: optionalQuery(instant.meta({ description: 'ISO 8601, exclusive.' })),
    cursor: optionalQuery(cursorText),
    ...paging,
  }),
  replies: {
    200: z.object({
      executions: z.array(executionSummary),
      next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const rows = await engine.listExecutions({
      tenantId: caller.tenantId,
      status: query.status,
      workflowId: query.workflow_id,
      createdAfter: query.created_after,
      createdBefore: query.created_before,
      cursor: query.cursor,
      limit: query.limit,
      offset: query.offset,
    });
    const last = rows.length === query.limit ? rows.at(-1) : undefined;
    return {
      status: 200,
      body: {
        executions: rows.map(shapeSummary),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  },
});
