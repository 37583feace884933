import { readWorkflowPauses } from '../../../shared/engine/workflows/pause-workflow.ts';
import { listWorkflows as list } from '../../../shared/engine/workflows/read-workflow.ts';
import { z } from 'zod';

import type { DefinitionId } from '../../../shared/domain/ids.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { type OffsetPage, readPage } from '../../offset-max.ts';
import { columnsText, encodePosition } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { shapeWorkflow, workflowShape } from './workflow-shape.ts';

const definitionCursor = columnsText((columns) => {
  const id = z.tuple([z.uuid()]).safeParse(columns).data?.[0];
  return id === undefined ? null : (id as DefinitionId);
});

export const listWorkflows = defineEndpoint({
  name: 'list-workflows',
  method: 'GET',
  path: '/workflows',
  access: 'read',
  summary: 'Lists workflow definitions, newest first',
  note: 'The newest revision of each workflow and version. Follow `next_cursor` for more.',
  query: z.object({
    workflow_id: optionalQuery(z.string()),
    cursor: optionalQuery(definitionCursor),
    ...paging,
  }),
  replies: { 200: z.object({ workflows: z.array(workflowShape), next_cursor: nextCursor }) },
  async handle({ query, caller }, { engine }) {
    const { workflow_id: workflowId, cursor: after } = query;
    const read = (page: OffsetPage) => list(engine, caller, { workflowId, after, ...page });
    const { rows, last } = await readPage(query, read);
    const workflowIds = [...new Set(rows.map(({ workflowId }) => workflowId))];
    const pauses = await readWorkflowPauses(engine, caller, { workflowIds });
    return {
      status: 200,
      body: {
        workflows: rows.map((row) => shapeWorkflow(row, pauses)),
        next_cursor: last === undefined ? null : encodePosition([last.definitionId]),
      },
    };
  },
});
