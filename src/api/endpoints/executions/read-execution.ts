import { z } from 'zod';

import { readExecution as read } from '../../../shared/engine/executions/read-execution.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { queryWord } from '../../schemas/query.ts';
import { executionShape, shapeExecution } from './execution-shape.ts';

export const readExecution = defineEndpoint({
  name: 'read-execution',
  method: 'GET',
  path: '/executions/:id',
  access: 'read',
  summary: 'Reads an execution with its state',
  params: executionParam,
  query: z.object({
    view: queryWord(
      ['full', 'head'],
      '`head` leaves state and input empty, however large they are.',
    ),
  }),
  replies: { 200: executionShape },
  errors: [404],
  async handle({ params, query, caller }, { engine }) {
    const view = await read(engine, caller, {
      executionId: params.id,
      isHead: query.view === 'head',
    });
    return { status: 200, body: shapeExecution(view) };
  },
});
