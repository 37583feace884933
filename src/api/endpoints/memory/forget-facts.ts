import { z } from 'zod';

import { badRequest } from '../../../shared/domain/errors.ts';
import {
  forgetFacts as forget,
  type ForgetFacts,
} from '../../../shared/engine/memory/forget-facts.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { given, idText, omittable, SAYS_SOMETHING } from '../../schemas/text.ts';

const REASON_CHARS_MAX = 2000;

export const forgetFacts = defineEndpoint({
  name: 'forget-facts',
  method: 'POST',
  path: '/v1/memory/forget',
  access: 'write',
  summary: 'Forgets one fact, or all facts of an end user',
  note:
    'Exactly one of `id` and `end_user_id`. A soft delete: recalls and lists leave the facts out at ' +
    'once, and the quota still counts them. Forgetting an end user leaves one audit item, ' +
    '`memory_user_forgotten`, with the count, the reason and `end_user_hash`: the SHA-256 of ' +
    'the canonical JSON `{end_user_id, tenant_id}`, as that log is never altered.',
  body: z
    .object({
      id: omittable(idText),
      end_user_id: omittable(idText),
      reason: z
        .string()
        .regex(/\S/, 'must not be empty')
        .max(REASON_CHARS_MAX, `must be at most ${REASON_CHARS_MAX} characters`)
        .meta({ pattern: SAYS_SOMETHING }),
    })
    .meta({ oneOf: [given('id'), given('end_user_id')] }),
  replies: {
    200: z.object({ count: z.int().meta({ description: 'Facts forgotten by this request.' }) }),
  },
  async handle({ body, caller }, { memory }) {
    const count = await forget(memory, caller, {
      what: whatOf({ factId: body.id, endUserId: body.end_user_id }),
      reason: body.reason,
    });
    return { status: 200, body: { count } };
  },
});

function whatOf(given: {
  readonly factId: string | null;
  readonly endUserId: string | null;
}): ForgetFacts['what'] {
  const { factId, endUserId } = given;
  if (factId !== null && endUserId === null) return { factId };
  if (endUserId !== null && factId === null) return { endUserId };
  throw badRequest('exactly one of id and end_user_id must be given');
}
