import { readWorkflowPauses } from '../../../shared/engine/workflows/pause-workflow.ts';
import { readWorkflow as read } from '../../../shared/engine/workflows/read-workflow.ts';
import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { idParam } from '../../schemas/params.ts';
import { optionalQuery } from '../../schemas/query.ts';
import { shapeWorkflow, workflowShape } from './workflow-shape.ts';

export const readWorkflow = defineEndpoint({
  name: 'read-workflow',
  method: 'GET',
  path: '/workflows/:id',
  access: 'read',
  summary: 'Reads a workflow definition',
  params: idParam('Workflow id.'),
  query: z.object({
    version: optionalQuery(
      z.string().meta({ description: 'Default: the latest registered version.' }),
    ),
  }),
  replies: { 200: workflowShape.extend({ ir: anyObject }) },
  errors: [404],
  async handle({ params, query, caller }, { engine }) {
    const definition = await read(engine, caller, {
      workflowId: params.id,
      version: query.version,
    });
    const pauses = await readWorkflowPauses(engine, caller, { workflowIds: [params.id] });
    return { status: 200, body: { ...shapeWorkflow(definition, pauses), ir: definition.ir } };
  },
});
