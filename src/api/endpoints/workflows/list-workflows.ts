import { readWorkflowPauses } from '../../../shared/engine/workflows/pause-workflow.ts';
import { listWorkflows as list } from '../../../shared/engine/workflows/read-workflow.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { shapeWorkflow, workflowShape } from './workflow-shape.ts';

export const listWorkflows = defineEndpoint({
  name: 'list-workflows',
  method: 'GET',
  path: '/workflows',
  access: 'read',
  summary: 'Lists workflow definitions, newest first',
  note: 'The newest revision of each workflow and version.',
  query: z.object({ workflow_id: optionalQuery(z.string()), ...paging }),
  replies: { 200: z.object({ workflows: z.array(workflowShape) }) },
  async handle({ query, caller }, { engine }) {
    const rows = await list(engine, caller, {
      workflowId: query.workflow_id,
      limit: query.limit,
      offset: query.offset,
    });
    const workflowIds = [...new Set(rows.map(({ workflowId }) => workflowId))];
    const pauses = await readWorkflowPauses(engine, caller, { workflowIds });
    return { status: 200, body: { workflows: rows.map((row) => shapeWorkflow(row, pauses)) } };
  },
});
