import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { agentParam } from './agent-param.ts';
import { statusShape } from './agent-shape.ts';

export const heartbeatAgent = defineEndpoint({
  name: 'heartbeat-agent',
  method: 'POST',
  path: '/agents/:id/heartbeat',
  access: 'write',
  summary: 'Says that an agent is alive',
  note:
    'An active agent that has sent a heartbeat and then none for `agents.heartbeat_timeout` is ' +
    'paused; its next one makes it active again. To a deactivated agent `ok` is false, and ' +
    'nothing is written.',
  params: agentParam,
  replies: { 200: statusShape.extend({ ok: z.boolean() }) },
  errors: [404],
  async handle({ params, caller }, { agents }) {
    const row = await agents.heartbeat({ tenantId: caller.tenantId, agentId: params.id });
    const { agentId, status } = row;
    return { status: 200, body: { agent_id: agentId, ok: status !== 'deactivated', status } };
  },
});
