import type { Actor } from '../caller.ts';
import type { AgentProtocol, AgentStatus } from '../../domain/agents/agent-card.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AgentPosition, AgentRow } from '../../store/agents.ts';
import type { RoundResult } from '../scheduling/round-result.ts';

/**
 * What the outside can ask about agents. Every method may throw a `SvcError` (400, 404, 409, 502)
 * or a StoreUnavailableError.
 */
export interface Agents {
  /** Registers an Agent Card, or gives a registered agent a new one. */
  register(
    params: Actor & { readonly tenantId: TenantId; readonly card: JsonObject },
  ): Promise<AgentRow>;
  /** Fetches the card that an agent serves and registers it. */
  discover(
    params: Actor & {
      readonly tenantId: TenantId;
      readonly url: string;
      readonly signal: AbortSignal;
    },
  ): Promise<AgentRow>;
  list(params: ListAgentsRequest): Promise<readonly AgentRow[]>;
  count(params: AgentFilter): Promise<number>;
  read(agent: AgentName): Promise<AgentRow>;
  activate(agent: AgentName & Actor): Promise<AgentRow>;
  deactivate(agent: AgentName & Actor): Promise<AgentRow>;
  /** The agent afterwards; a deactivated one has not been heard. */
  heartbeat(agent: AgentName): Promise<AgentRow>;
  /** What the runtime's DID document tells of a tenant's agents. */
  listActive(params: {
    readonly tenantId: TenantId;
  }): Promise<readonly { readonly agentId: string; readonly uri: string | null }[]>;
  /** For the scheduler: writes down that silent agents are paused. */
  pauseSilent(params: { readonly limit: number }): Promise<RoundResult>;
}

export interface AgentName {
  readonly tenantId: TenantId;
  readonly agentId: string;
}

export interface AgentFilter {
  readonly tenantId: TenantId;
  readonly status: AgentStatus | null;
  readonly skill: string | null;
  readonly protocol: AgentProtocol | null;
}

export interface ListAgentsRequest extends AgentFilter {
  readonly after?: AgentPosition | null;
  readonly limit: number;
  readonly offset: number;
}
