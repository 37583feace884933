import { z } from 'zod';

import { addFact as add } from '../../../shared/engine/memory/add-fact.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { userObject } from '../../schemas/json-values.ts';
import { idText, omittable } from '../../schemas/text.ts';
import { addedFact, factText, scopeFields, shapeAddedFact } from './fact-shape.ts';

export const addFact = defineEndpoint({
  name: 'add-fact',
  method: 'POST',
  path: '/v1/memory/add',
  access: 'write',
  summary: 'Remembers a fact',
  note:
    'Errors carry a `code`: `memory_disabled` (403), `embedding_key_missing` and ' +
    '`embedding_key_invalid` (400), `memory_quota_exceeded` with `dimension` (402), ' +
    '`embedding_rate_limited` (429, with `Retry-After`), `embedding_failed` (502); they are found ' +
    'in this order, and nothing is embedded or counted then. An `ingestion_key` used before gives ' +
    'the first fact, and nothing is embedded or counted either.',
  body: z.object({
    content: factText,
    ...scopeFields,
    metadata: omittable(userObject),
    ingestion_key: omittable(idText),
  }),
  replies: { 200: addedFact },
  errors: [402, 429, 502],
  async handle({ body, caller }, { memory }) {
    const fact = await add(memory, caller, {
      content: body.content,
      agentId: body.agent_id,
      endUserId: body.end_user_id,
      metadata: body.metadata ?? {},
      ingestionKey: body.ingestion_key,
    });
    return { status: 200, body: shapeAddedFact(fact) };
  },
});
