import type { AgentsDeps } from './deps.ts';
import { readAgentCard } from '../../domain/agents/read-agent-card.ts';
import { badRequest, notFound } from '../../domain/errors.ts';
import type { AgentRef, AgentRow } from '../../store/agents.ts';
import type { AgentName, Agents } from './agents.ts';
import { discoverAgent } from './discover-agent.ts';

/** A document that everyone may read is not to grow without bound. */
const SERVICES_MAX = 1000;
const PROBLEMS_TOLD = 5;

export function createAgents(deps: AgentsDeps): Agents {
  const { store, ids } = deps;
  const { heartbeatTimeoutMs } = deps.settings;

  async function ask<Name extends AgentName>(
    agent: Name,
    statement: (ref: Name & AgentRef) => Promise<AgentRow | null>,
  ): Promise<AgentRow> {
    const row = await statement({ ...agent, heartbeatTimeoutMs });
    if (row === null) throw notFound(`agent ${agent.agentId}`);
    return row;
  }

  return {
    async register({ tenantId, card: document, actorId }) {
      const read = readAgentCard(document);
      if (!read.ok) throw badRequest(read.problems.slice(0, PROBLEMS_TOLD).join('; '));
      const { card } = read;
      const agentId = read.id ?? ids.uuid();
      const row = await store.register({
        tenantId,
        agentId,
        card,
        discoveredFrom: null,
        heartbeatTimeoutMs,
        actorId,
      });
      if (row === null) throw new Error(`agent ${agentId} was registered without an answer`);
      return row;
    },
    discover: (params) => discoverAgent(deps, params),
    list: (params) => store.list({ ...params, heartbeatTimeoutMs }),
    count: (params) => store.count({ ...params, heartbeatTimeoutMs }),
    read: (agent) => ask(agent, (ref) => store.find(ref)),
    activate: (agent) => ask(agent, (ref) => store.activate(ref)),
    deactivate: (agent) => ask(agent, (ref) => store.deactivate(ref)),
    heartbeat: (agent) => ask(agent, (ref) => store.heartbeat(ref)),
    listActive: ({ tenantId }) =>
      store.listActive({ tenantId, heartbeatTimeoutMs, limit: SERVICES_MAX }),
    async pauseSilent({ limit }) {
      const found = await store.pauseSilent({ heartbeatTimeoutMs, limit });
      return { found, more: found === limit };
    },
  };
}
