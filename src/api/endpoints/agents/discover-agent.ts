import { z } from 'zod';

import { discoverAgent as discover } from '../../../shared/engine/agents/discover-agent.ts';
import { HTTP_URL } from '../../schemas/text.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { agentShape, shapeAgent } from './agent-shape.ts';

export const discoverAgent = defineEndpoint({
  name: 'discover-agent',
  method: 'POST',
  path: '/agents/discover',
  access: 'write',
  summary: 'Fetches the Agent Card at an address and registers the agent',
  note:
    'Fetches `<url>/.well-known/agent.json`, else `agent-card.json` there (A2A). A repeated ' +
    'discovery refreshes the card. Addresses of private networks are refused unless ' +
    '`agents.allow_private_networks` is set. 502: no server answers there, or the answer is ' +
    'not a card.',
  body: z.object({
    url: z
      .string()
      .meta({ pattern: HTTP_URL, description: 'An http or https URL, without credentials.' }),
  }),
  replies: { 201: agentShape },
  errors: [409, 502],
  async handle(request, { agents }) {
    const row = await discover(agents, request.caller, {
      url: request.body.url,
      signal: request.abandoned(),
    });
    return { status: 201, body: shapeAgent(row) };
  },
});
