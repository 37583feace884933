import { z } from 'zod';

import type { Fact } from '../../../shared/domain/memory/fact.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { idText, omittable, timestamp } from '../../schemas/text.ts';

/** Far above what the provider's model takes in, which it counts in its own units. */
const TEXT_CHARS_MAX = 131_072;

export const factText = z
  .string()
  .min(1, 'must not be empty')
  .max(TEXT_CHARS_MAX, `must be at most ${TEXT_CHARS_MAX} characters`);

const agentId = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID or null')
  .transform((text) => text.toLowerCase())
  .meta({ format: 'uuid' });

/** Whose fact: of an agent, of an end user, of both, or the whole project's. */
export const scopeFields = {
  agent_id: omittable(agentId),
  end_user_id: omittable(idText),
};

export const addedFact = z.object({
  id: z.string(),
  content: z.string(),
  agent_id: z.string().nullable(),
  end_user_id: z.string().nullable(),
  created_at: timestamp,
});

export const factShape = addedFact.extend({ metadata: anyObject });

export function shapeFact(fact: Fact): z.input<typeof factShape> {
  return { ...shapeAddedFact(fact), metadata: fact.metadata };
}

export function shapeAddedFact(fact: Fact): z.input<typeof addedFact> {
  return {
    id: fact.factId,
    content: fact.content,
    agent_id: fact.agentId,
    end_user_id: fact.endUserId,
    created_at: fact.createdAt,
  };
}
