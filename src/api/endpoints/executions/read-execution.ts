import { readExecution as read } from '../../../shared/engine/executions/read-execution.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionShape, shapeExecution } from './execution-shape.ts';

export const readExecution = defineEndpoint({
  name: 'read-execution',
  method: 'GET',
  path: '/executions/:id',
  access: 'read',
  summary: 'Reads an execution with its state',
  params: executionParam,
  replies: { 200: executionShape },
  errors: [404],
  async handle({ params, caller }, { engine }) {
    const view = await read(engine, caller, {
      executionId: params.id,
    });
    return { status: 200, body: shapeExecution(view) };
  },
});
