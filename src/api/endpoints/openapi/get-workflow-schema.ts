import type { JsonObject } from '../../../shared/domain/json.ts';
import { workflowSchema } from '../../../shared/domain/workflow/schema/workflow-schema.ts';
import { NODE_KINDS } from '../../../shared/nodes/index.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';

/** Few processes are asked for it. */
let schema: JsonObject | null = null;

export const getWorkflowSchema = defineEndpoint({
  name: 'get-workflow-schema',
  method: 'GET',
  path: '/workflow.schema.json',
  access: 'read',
  summary: 'Describes workflow definitions as a JSON Schema, for editors',
  note:
    'Draft 2020-12. It allows only names that the runtime reads, so an editor marks all ' +
    'others; the runtime accepts those with a warning.',
  replies: { 200: anyObject },
  async handle() {
    schema ??= workflowSchema(NODE_KINDS);
    return { status: 200, body: schema };
  },
});
