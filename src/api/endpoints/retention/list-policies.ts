import { z } from 'zod';

import { listRetentionPolicies as list } from '../../../shared/engine/retention/policies.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { paging } from '../../schemas/query.ts';
import { policyShape, shapePolicy } from './policy-shape.ts';

export const listRetentionPolicies = defineEndpoint({
  name: 'list-retention-policies',
  method: 'GET',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Lists how long the tenant’s executions are kept after their end',
  note: 'The configuration applies where no policy does (`retention.completed_days` and so on).',
  query: z.object(paging),
  replies: { 200: z.object({ policies: z.array(policyShape) }) },
  async handle({ query, caller }, { engine }) {
    const policies = await list(engine, caller, query);
    return { status: 200, body: { policies: policies.map(shapePolicy) } };
  },
});
