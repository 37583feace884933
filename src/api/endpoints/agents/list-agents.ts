import { z } from 'zod';

import { AGENT_PROTOCOLS } from '../../../shared/domain/agents/agent-card.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { optionalQuery, paging } from '../../schemas/query.ts';
import { agentStatus, agentSummary, shapeSummary } from './agent-shape.ts';

export const listAgents = defineEndpoint({
  name: 'list-agents',
  method: 'GET',
  path: '/agents',
  access: 'read',
  summary: 'Lists agents, newest first',
  query: z.object({
    status: optionalQuery(agentStatus),
    skill: optionalQuery(z.string().meta({ description: 'Name or id of a skill, exactly.' })),
    protocol: optionalQuery(z.enum(AGENT_PROTOCOLS)),
    ...paging,
  }),
  replies: { 200: z.object({ agents: z.array(agentSummary) }) },
  async handle({ query, caller }, { agents }) {
    const rows = await agents.list({
      tenantId: caller.tenantId,
      status: query.status,
      skill: query.skill,
      protocol: query.protocol,
      limit: query.limit,
      offset: query.offset,
    });
    return { status: 200, body: { agents: rows.map(shapeSummary) } };
  },
});
