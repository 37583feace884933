import type { AgentCard, AgentStatus } from '../domain/agents/agent-card.ts';
import type { TenantId } from '../domain/ids.ts';

/**
 * The registered agents. An active agent that has ever sent a heartbeat and then is silent for the
 * time-out is `paused`, judged by the database's clock: every reading shows it so from that moment,
 * and `pauseSilent` writes it down some time later.
 */
export interface AgentStore {
  /**
   * A new agent is `registered`; one with this id gets the new card and keeps its status. Null: the
   * id belongs to an agent that was not discovered at `discoveredFrom`, and a card that somebody
   * else serves must not take its place.
   */
  register(agent: NewAgent): Promise<AgentRow | null>;
  find(agent: AgentRef): Promise<AgentRow | null>;
  /** The agent last discovered at this address. */
  findDiscovered(params: {
    readonly tenantId: TenantId;
    readonly discoveredFrom: string;
  }): Promise<{ readonly agentId: string } | null>;
  /** Newest first by registration. */
  list(params: ListAgents): Promise<readonly AgentRow[]>;
  /** How many there are in all. */
  count(params: CountAgents): Promise<number>;
  /** Addresses of the active agents, oldest first. */
  listActive(params: {
    readonly tenantId: TenantId;
    readonly heartbeatTimeoutMs: number;
    readonly limit: number;
  }): Promise<readonly { readonly agentId: string; readonly uri: string | null }[]>;
  /** From any status; silence counts from now on. Null when there is no such agent. */
  activate(agent: AgentRef & Acting): Promise<AgentRow | null>;
  deactivate(agent: AgentRef & Acting): Promise<AgentRow | null>;
  /** A paused agent is active again; of a deactivated one nothing is written. */
  heartbeat(agent: AgentRef): Promise<AgentRow | null>;
  /** Writes down that silent agents are paused, of all tenants; how many. */
  pauseSilent(params: {
    readonly heartbeatTimeoutMs: number;
    readonly limit: number;
  }): Promise<number>;
}

export interface AgentRef {
  readonly tenantId: TenantId;
  readonly agentId: string;
  readonly heartbeatTimeoutMs: number;
}

export interface Acting {
  /** The actor of the change. */
  readonly actorId: string;
}

export interface NewAgent extends AgentRef, Acting {
  readonly card: AgentCard;
  /** Null: registered by a caller. */
  readonly discoveredFrom: string | null;
}

export interface CountAgents {
  readonly tenantId: TenantId;
  readonly status: AgentStatus | null;
  /** Name or id of a skill. */
  readonly skill: string | null;
  readonly protocol: string | null;
  readonly heartbeatTimeoutMs: number;
}

export interface ListAgents extends CountAgents {
  /** Only those that come after this one. */
  readonly after?: AgentPosition | null;
  readonly limit: number;
  readonly offset: number;
}

export interface AgentPosition {
  readonly registeredAt: string;
  readonly agentId: string;
}

export interface AgentRow {
  readonly tenantId: TenantId;
  readonly agentId: string;
  readonly card: AgentCard;
  readonly status: AgentStatus;
  readonly discoveredFrom: string | null;
  readonly registeredAt: string;
  /** Last change of card or status. */
  readonly updatedAt: string;
  readonly lastHeartbeat: string | null;
}
