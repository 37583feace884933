import { z } from 'zod';

import { heartbeatAgent as heartbeat } from '../../../shared/engine/agents/heartbeat-agent.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { agentParam } from './agent-param.ts';
import { statusShape } from './agent-shape.ts';

export const heartbeatAgent = defineEndpoint({
  name: 'heartbeat-agent',
  method: 'POST',
  path: '/agents/:id/heartbeat',
  access: 'write',
  summary: 'Records a heartbeat of an agent',
  note:
    'An active agent is paused when its heartbeats stop for `agents.heartbeat_timeout`; the ' +
    'next one activates it again. For a deactivated agent `ok` is false, and nothing is ' +
    'written.',
  params: agentParam,
  replies: { 200: statusShape.extend({ ok: z.boolean() }) },
  errors: [404],
  async handle({ params, caller }, { agents }) {
    const row = await heartbeat(agents, caller, { agentId: params.id });
    const { agentId, status } = row;
    return { status: 200, body: { agent_id: agentId, ok: status !== 'deactivated', status } };
  },
});
