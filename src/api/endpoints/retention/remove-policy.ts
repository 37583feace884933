import { z } from 'zod';

import { removeRetentionPolicy as remove } from '../../../shared/engine/retention/policies.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery } from '../../schemas/query.ts';
import { idText } from '../../schemas/text.ts';

export const removeRetentionPolicy = defineEndpoint({
  name: 'remove-retention-policy',
  method: 'DELETE',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Removes a retention policy',
  query: z.object({
    workflow_id: optionalQuery(idText).meta({
      description: 'The workflow of the policy. Absent: the policy of the whole tenant.',
    }),
  }),
  replies: {
    200: z.object({ workflow_id: z.string().nullable(), removed: z.literal(true) }),
  },
  errors: [404],
  async handle({ query, caller }, { engine }) {
    const workflowId = query.workflow_id;
    await remove(engine, caller, { workflowId });
    return { status: 200, body: { workflow_id: workflowId, removed: true as const } };
  },
});
