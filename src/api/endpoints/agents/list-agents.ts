import { z } from 'zod';

import { AGENT_PROTOCOLS } from '../../../shared/domain/agents/agent-card.ts';
import type { AgentPosition } from '../../../shared/store/agents.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { encodePosition, positionText } from '../../schemas/position.ts';
import { LIMIT_MAX, optionalQuery, pageFields, pagingOfWhole, WHOLE } from '../../schemas/query.ts';
import { openWholeList } from '../../whole-list.ts';
import { agentStatus, agentSummary, shapeSummary } from './agent-shape.ts';

export const listAgents = defineEndpoint({
  name: 'list-agents',
  method: 'GET',
  path: '/agents',
  access: 'read',
  summary: 'Lists agents, newest first',
  note: 'All of them where no `limit` is given. With one, follow `next_cursor` to read on.',
  query: z.object({
    status: optionalQuery(agentStatus),
    skill: optionalQuery(z.string().meta({ description: 'Name or id of a skill, exactly.' })),
    protocol: optionalQuery(z.enum(AGENT_PROTOCOLS)),
    ...pagingOfWhole(positionText({ columns: 2, isTimed: true })),
  }),
  replies: { 200: z.object({ agents: z.array(agentSummary), ...pageFields }) },
  async handle({ query, caller }, { agents }) {
    const { status, skill, protocol, limit, offset } = query;
    const filter = { tenantId: caller.tenantId, status, skill, protocol };
    if (limit === WHOLE && offset === 0 && query.cursor === null) {
      const read = (after: AgentPosition | null, count: number) =>
        agents.list({ ...filter, after, limit: count, offset: 0 });
      return { status: 200, pieces: await openWholeList('agents', { read, shape: shapeSummary }) };
    }
    const [registeredAt = '', agentId = ''] = query.cursor ?? [];
    const after = query.cursor === null ? null : { registeredAt, agentId };
    const most = Math.min(limit, LIMIT_MAX);
    const [rows, total] = await Promise.all([
      agents.list({ ...filter, after, limit: most, offset }),
      agents.count(filter),
    ]);
    const last = rows.length === most ? rows.at(-1) : undefined;
    const body = {
      agents: rows.map(shapeSummary),
      total,
      next_cursor: last === undefined ? null : encodePosition([last.registeredAt, last.agentId]),
    };
    return { status: 200, body };
  },
});
