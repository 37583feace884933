import { z } from 'zod';

import { registerAgent as register } from '../../../shared/engine/agents/register-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { cardBody } from './agent-shape.ts';

export const registerAgent = defineEndpoint({
  name: 'register-agent',
  method: 'POST',
  path: '/agents',
  access: 'write',
  summary: 'Registers an agent by its Agent Card',
  note:
    'A registered id gets the new card and keeps its status. Unknown fields are kept. Cards ' +
    'of the A2A protocol (0.1 to 1.0) are accepted too.',
  body: cardBody,
  replies: { 201: z.object({ agent_id: z.string() }) },
  async handle({ body, caller }, { agents }) {
    const row = await register(agents, caller, { card: body });
    return { status: 201, body: { agent_id: row.agentId } };
  },
});
