import { z } from 'zod';

import { moveExecution as move } from '../../../shared/engine/executions/move-execution.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { buildId } from '../../schemas/build-id.ts';
import { executionParam } from '../../schemas/params.ts';
import { executionId, idText, omittable } from '../../schemas/text.ts';

export const moveExecution = defineEndpoint({
  name: 'move-execution',
  method: 'POST',
  path: '/executions/:id/build',
  access: 'write',
  summary: 'Moves pinned functions to another build of their workers',
  note:
    'The move takes effect with the next turn of each function; a turn under way ends on the old ' +
    'build. Only functions that are pinned by now move: `moved` names them. Those that have the build ' +
    'already, and an execution without any, change nothing. An ended execution gives 400.',
  params: executionParam,
  body: z.strictObject({
    build_id: buildId.nullable().meta({
      description: 'The build; null: the one of the worker that claims the next turn.',
    }),
    node_id: omittable(idText).meta({ description: 'Only functions of this node. Absent: all.' }),
  }),
  replies: {
    200: z.object({
      execution_id: executionId,
      build_id: z.string().nullable(),
      moved: z.array(
        z.object({
          node_id: z.string(),
          visit: z.int(),
          from: z.string().meta({ description: 'The build that it was pinned to.' }),
        }),
      ),
    }),
  },
  errors: [400, 404],
  async handle({ params, body, caller }, { engine }) {
    const { moved, executionId: id } = await move(engine, caller, {
      executionId: params.id,
      buildId: body.build_id,
      nodeId: body.node_id,
    });
    return {
      status: 200,
      body: {
        execution_id: id,
        build_id: body.build_id,
        moved: moved.map(({ nodeId, visit, from }) => ({ node_id: nodeId, visit, from })),
      },
    };
  },
});
