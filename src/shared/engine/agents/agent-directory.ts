import type { AgentDirectory, KnownAgent } from '../../ports/agent-directory.ts';
import type { AgentRow, AgentStore } from '../../store/agents.ts';

/** If a tenant has more agents, only the newest are candidates. */
const AGENTS_MAX = 1000;

/** The registered agents, as nodes see them. */
export function createAgentDirectory(deps: {
  readonly store: Pick<AgentStore, 'find' | 'list'>;
  /** `agents.heartbeat_timeout` */
  readonly heartbeatTimeoutMs: number;
}): AgentDirectory {
  const { store, heartbeatTimeoutMs } = deps;
  return {
    async find(agent) {
      const row = await store.find({ ...agent, heartbeatTimeoutMs });
      return row === null ? null : toKnown(row);
    },
    async listActive({ tenantId }) {
      const rows = await store.list({
        tenantId,
        status: 'active',
        skill: null,
        protocol: null,
        heartbeatTimeoutMs,
        limit: AGENTS_MAX,
        offset: 0,
      });
      return rows.map(toKnown);
    },
  };
}

function toKnown({ agentId, card, status, discoveredFrom }: AgentRow): KnownAgent {
  return { agentId, card, status, isDiscovered: discoveredFrom !== null };
}
