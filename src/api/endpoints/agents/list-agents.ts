import { z } from 'zod';

import { AGENT_PROTOCOLS } from '../../../shared/domain/agents/agent-card.ts';
import { countAgents, listAgents as list } from '../../../shared/engine/agents/list-agents.ts';
import { answerList } from '../../answer-list.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { positionText } from '../../schemas/position.ts';
import { optionalQuery, pageFields, pagingOfWhole } from '../../schemas/query.ts';
import { agentStatus, agentSummary, shapeSummary } from './agent-shape.ts';

export const listAgents = defineEndpoint({
  name: 'list-agents',
  method: 'GET',
  path: '/agents',
  access: 'read',
  summary: 'Lists agents, newest first',
  note: 'Lists all without a `limit`. With one, follow `next_cursor` for more.',
  query: z.object({
    status: optionalQuery(agentStatus),
    skill: optionalQuery(z.string().meta({ description: 'Name or id of a skill, exactly.' })),
    protocol: optionalQuery(z.enum(AGENT_PROTOCOLS)),
    ...pagingOfWhole(positionText({ columns: 2, isTimed: true })),
  }),
  replies: { 200: z.object({ agents: z.array(agentSummary), ...pageFields }) },
  async handle({ query, caller }, { agents }) {
    const { status, skill, protocol } = query;
    const filter = { status, skill, protocol };
    return answerList(query, {
      name: 'agents',
      positionAt: ([registeredAt = '', agentId = '']) => ({ registeredAt, agentId }),
      read: (page) => list(agents, caller, { ...filter, ...page }),
      count: () => countAgents(agents, caller, filter),
      shape: shapeSummary,
      columnsOf: ({ registeredAt, agentId }) => [registeredAt, agentId],
    });
  },
});
