import { activateAgent as activate } from '../../../shared/engine/agents/activate-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { agentParam } from './agent-param.ts';
import { statusShape } from './agent-shape.ts';

export const activateAgent = defineEndpoint({
  name: 'activate-agent',
  method: 'POST',
  path: '/agents/:id/activate',
  access: 'write',
  summary: 'Activates an agent',
  params: agentParam,
  replies: { 200: statusShape },
  errors: [404],
  async handle({ params, caller }, { agents }) {
    const row = await activate(agents, caller, { agentId: params.id });
    return { status: 200, body: { agent_id: row.agentId, status: row.status } };
  },
});
