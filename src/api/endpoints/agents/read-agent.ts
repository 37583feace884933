import { readAgent as read } from '../../../shared/engine/agents/read-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { agentShape, shapeAgent } from './agent-shape.ts';
import { agentParam } from './agent-param.ts';

export const readAgent = defineEndpoint({
  name: 'read-agent',
  method: 'GET',
  path: '/agents/:id',
  access: 'read',
  summary: 'Reads an agent with its Agent Card',
  params: agentParam,
  replies: { 200: agentShape },
  errors: [404],
  async handle({ params, caller }, { agents }) {
    const row = await read(agents, caller, { agentId: params.id });
    return { status: 200, body: shapeAgent(row) };
  },
});
