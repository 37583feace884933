import { z } from 'zod';

import { notFound } from '../../../shared/domain/errors.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery } from '../../schemas/query.ts';
import { idText } from '../../schemas/text.ts';

export const removeRetentionPolicy = defineEndpoint({
  name: 'remove-retention-policy',
  method: 'DELETE',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Takes a retention policy back',
  query: z.object({
    workflow_id: optionalQuery(idText).meta({
      description: 'The workflow it is of. Left out: the policy of the whole tenant.',
    }),
  }),
  replies: {
    200: z.object({ workflow_id: z.string().nullable(), removed: z.literal(true) }),
  },
  errors: [404],
  async handle({ query, caller }, { retention }) {
    const { tenantId, actorId } = caller;
    const workflowId = query.workflow_id;
    if (!(await retention.removePolicy({ tenantId, workflowId, actorId }))) {
      throw notFound(
        workflowId === null ? 'retention policy' : `retention policy of workflow ${workflowId}`,
      );
    }
    return { status: 200, body: { workflow_id: workflowId, removed: true as const } };
  },
});
