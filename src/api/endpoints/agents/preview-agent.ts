import { z } from 'zod';

import {
  PREVIEW_OUTCOMES,
  previewAgent as preview,
} from '../../../shared/engine/agents/preview-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { HTTP_URL } from '../../schemas/text.ts';
import { cardShape, shapeCardFields } from './agent-shape.ts';

export const previewAgent = defineEndpoint({
  name: 'preview-agent',
  method: 'POST',
  path: '/agents/preview',
  access: 'write',
  summary: 'Shows the Agent Card at an address, and what a discovery would do',
  note: 'Fetches and checks the card as `POST /agents/discover` does, and stores nothing.',
  body: z.strictObject({
    url: z
      .string()
      .meta({ pattern: HTTP_URL, description: 'An http or https URL, without credentials.' }),
  }),
  replies: {
    200: z.object({
      outcome: z.enum(PREVIEW_OUTCOMES).meta({
        description:
          '`refuses`: an agent with this id was registered in another way or discovered elsewhere.',
      }),
      agent_id: z.string().nullable().meta({ description: 'Null: a new one.' }),
      discovered_from: z.string(),
      card: cardShape.omit({ id: true }),
    }),
  },
  errors: [502],
  async handle(request, { agents }) {
    const found = await preview(agents, request.caller, {
      url: request.body.url,
      signal: request.abandoned(),
    });
    return {
      status: 200,
      body: {
        outcome: found.outcome,
        agent_id: found.agentId,
        discovered_from: found.discoveredFrom,
        card: shapeCardFields(found.card),
      },
    };
  },
});
