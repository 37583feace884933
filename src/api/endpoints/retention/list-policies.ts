import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { paging } from '../../schemas/query.ts';
import { policyShape, shapePolicy } from './policy-shape.ts';

export const listRetentionPolicies = defineEndpoint({
  name: 'list-retention-policies',
  method: 'GET',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Lists how long the tenant’s executions are kept after their end',
  note: 'What no policy says is up to the configuration (`retention.completed_days` and so on).',
  query: z.object(paging),
  replies: { 200: z.object({ policies: z.array(policyShape) }) },
  async handle({ query, caller }, { retention }) {
    const policies = await retention.listPolicies({ tenantId: caller.tenantId, ...query });
    return { status: 200, body: { policies: policies.map(shapePolicy) } };
  },
});
