import { listExecutions as list } from '../../../shared/engine/executions/list-shown.ts';
import { z } from 'zod';

import { parseExecutionId } from '../../../shared/domain/ids.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { type OffsetPage, readPage } from '../../offset-max.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { instant } from '../../schemas/text.ts';
import { cursorOf, cursorText } from './cursor.ts';
import { executionStatus, executionSummary, shapeSummary } from './execution-shape.ts';

export const listExecutions = defineEndpoint({
  name: 'list-executions',
  method: 'GET',
  path: '/executions',
  access: 'read',
  summary: 'Lists executions, newest first',
  note: 'Follow `next_cursor` for more: unlike `offset` it stays exact while executions start.',
  query: z.object({
    status: optionalQuery(executionStatus),
    workflow_id: optionalQuery(z.string()),
    parent_execution_id: optionalQuery(
      z.string().meta({ description: 'Only the children of this execution.' }),
    ),
    created_after: optionalQuery(instant.meta({ description: 'ISO 8601, inclusive.' })),
    created_before: optionalQuery(instant.meta({ description: 'ISO 8601, exclusive.' })),
    cursor: optionalQuery(cursorText),
    ...paging,
  }),
  replies: {
    200: z.object({
      executions: z.array(executionSummary),
      next_cursor: nextCursor,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { parent_execution_id: parent } = query;
    const parentExecutionId = parent === null ? null : parseExecutionId(parent);
    // An id of another shape is of no execution, and so of no parent.
    const isNobody = parent !== null && parentExecutionId === null;
    const filter = {
      status: query.status,
      workflowId: query.workflow_id,
      parentExecutionId,
      createdAfter: query.created_after,
      createdBefore: query.created_before,
      cursor: query.cursor,
    };
    const read = async (page: OffsetPage) =>
      isNobody ? [] : list(engine, caller, { ...filter, ...page });
    const { rows, last } = await readPage(query, read);
    return {
      status: 200,
      body: {
        executions: rows.map(shapeSummary),
        next_cursor: last === undefined ? null : cursorOf(last),
      },
    };
  },
});
