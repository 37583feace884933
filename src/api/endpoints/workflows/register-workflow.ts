import { registerWorkflow as register } from '../../../shared/engine/workflows/register-workflow.ts';
import { z } from 'zod';

import { isJsonObject, type JsonObject } from '../../../shared/domain/json.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { componentRef } from '../../schemas/component-ref.ts';
import { queryFlag } from '../../schemas/query.ts';

/** The reader of definitions reports errors inside it with their places. */
const workflowIr = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .meta({ $ref: componentRef('Workflow') });

export const registerWorkflow = defineEndpoint({
  name: 'register-workflow',
  method: 'POST',
  path: '/workflows',
  access: 'write',
  summary: 'Registers a workflow definition',
  note:
    'The same definition again gives the same answer; a different one under the same id and ' +
    'version becomes a new revision, which later executions use. `warnings` list probable ' +
    'mistakes that do not stop it from running: names that nothing reads, paths that are not ' +
    'in the `state_schema`, nodes that never run. A 400 lists `problems`, each with the JSON ' +
    'pointer of its place.',
  query: z.object({
    strict: queryFlag('Whether warnings refuse the definition: 400, and nothing is stored.'),
  }),
  body: z.object({ ir: workflowIr }),
  replies: {
    201: z.object({
      workflow_id: z.string(),
      version: z.string(),
      revision: z.int().min(1),
      ir_hash: z.string(),
      warnings: z.array(
        z.object({
          code: z.string().meta({ description: 'The kind of warning, such as `unknown_field`.' }),
          pointer: z.string().meta({ description: 'JSON pointer from the root of the IR.' }),
          message: z.string(),
        }),
      ),
    }),
  },
  async handle(request, { engine }) {
    const { query, body, caller } = request;
    const registered = await register(engine, caller, {
      ir: body.ir,
      signal: request.gone(),
      isStrict: query.strict,
    });
    return {
      status: 201,
      body: {
        workflow_id: registered.workflowId,
        version: registered.version,
        revision: registered.revision,
        ir_hash: registered.irHash,
        warnings: registered.warnings.map((warning) => ({ ...warning })),
      },
    };
  },
});
