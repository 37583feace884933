import { deactivateAgent as deactivate } from '../../../shared/engine/agents/deactivate-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { agentParam } from './agent-param.ts';
import { statusShape } from './agent-shape.ts';

export const deactivateAgent = defineEndpoint({
  name: 'deactivate-agent',
  method: 'POST',
  path: '/agents/:id/deactivate',
  access: 'write',
  summary: 'Deactivates an agent',
  params: agentParam,
  replies: { 200: statusShape },
  errors: [404],
  async handle({ params, caller }, { agents }) {
    const row = await deactivate(agents, caller, { agentId: params.id });
    return { status: 200, body: { agent_id: row.agentId, status: row.status } };
  },
});
