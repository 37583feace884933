import { z } from 'zod';

import { listFacts as list } from '../../../shared/engine/memory/list-facts.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, queryInteger } from '../../schemas/query.ts';
import { instant } from '../../schemas/text.ts';
import { factShape, shapeFact } from './fact-shape.ts';

export const listFacts = defineEndpoint({
  name: 'list-facts',
  method: 'GET',
  path: '/v1/memory/facts',
  access: 'read',
  summary: 'Lists facts, newest first',
  note:
    'For the next page, give the `created_at` of the last fact as `before`: it is unique in ' +
    'a tenant.',
  query: z.object({
    limit: queryInteger({ min: 1, fallback: 50, clampTo: 200 }),
    before: optionalQuery(instant.meta({ description: 'ISO 8601, exclusive.' })),
  }),
  replies: { 200: z.object({ facts: z.array(factShape) }) },
  async handle({ query, caller }, { memory }) {
    const facts = await list(memory, caller, {
      limit: query.limit,
      before: query.before,
    });
    return { status: 200, body: { facts: facts.map(shapeFact) } };
  },
});
