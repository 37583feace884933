import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';

export const registerWorkflow = defineEndpoint({
  name: 'register-workflow',
  method: 'POST',
  path: '/workflows',
  access: 'write',
  summary: 'Registers a workflow definition',
  note:
    'The same definition again gives the same answer; a different one under the same id and ' +
    'version becomes a new revision, used by executions that start from then on.',
  body: z.object({ ir: anyObject }),
  replies: {
    201: z.object({
      workflow_id: z.string(),
      version: z.string(),
      revision: z.int().min(1),
      ir_hash: z.string(),
      warnings: z.array(z.object({ pointer: z.string(), message: z.string() })),
    }),
  },
  async handle(request, { engine }) {
    const { body, caller } = request;
    const registered = await engine.registerWorkflow({
      tenantId: caller.tenantId,
      actorId: caller.actorId,
      ir: body.ir,
      signal: request.gone(),
    });
    return {
      status: 201,
      body: {
        workflow_id: registered.workflowId,
        version: registered.version,
        revision: registered.revision,
        ir_hash: registered.irHash,
        warnings: registered.warnings.map(({ pointer, message }) => ({ pointer, message })),
      },
    };
  },
});
