import { z } from 'zod';

import { K_DEFAULT, K_MAX } from '../../../shared/domain/memory/fact.ts';
import { recallFacts as recall } from '../../../shared/engine/memory/recall-facts.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { omittable } from '../../schemas/text.ts';
import { factShape, factText, scopeFields, shapeFact } from './fact-shape.ts';

export const recallFacts = defineEndpoint({
  name: 'recall-facts',
  method: 'POST',
  path: '/v1/memory/recall',
  access: 'write',
  summary: 'Finds the facts nearest to a text',
  note:
    'Among those of the agent and the end user together, of the agent alone, of the end user alone ' +
    'and of the whole project; never those of another agent or end user. Without `agent_id` or ' +
    '`end_user_id` none that belongs to one is found. Errors carry a `code`, as those of ' +
    '`/v1/memory/add`. The quota counts no recalls.',
  body: z.object({
    query: factText,
    ...scopeFields,
    k: omittable(z.int()).meta({
      description: `How many: ${K_DEFAULT} by default; values beyond 1 and ${K_MAX} are taken for these.`,
    }),
  }),
  replies: {
    200: z.object({
      facts: z.array(
        factShape.extend({
          similarity: z.number().meta({ description: 'Cosine, from −1 to 1; nearest first.' }),
        }),
      ),
    }),
  },
  errors: [429, 502],
  async handle({ body, caller }, { memory }) {
    const facts = await recall(memory, caller, {
      query: body.query,
      agentId: body.agent_id,
      endUserId: body.end_user_id,
      k: body.k,
    });
    const shaped = facts.map((fact) => ({ ...shapeFact(fact), similarity: fact.similarity }));
    return { status: 200, body: { facts: shaped } };
  },
});
