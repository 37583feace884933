import type { AgentCard, AgentStatus } from '../domain/agents/agent-card.ts';
import type { TenantId } from '../domain/ids.ts';

/** The agents that a tenant has registered. */
export interface AgentDirectory {
  find(params: {
    readonly tenantId: TenantId;
    readonly agentId: string;
  }): Promise<KnownAgent | null>;
  /** All that are active, up to a bound of its own, in any order. */
  listActive(params: { readonly tenantId: TenantId }): Promise<readonly KnownAgent[]>;
}

export interface KnownAgent {
  readonly agentId: string;
  readonly card: AgentCard;
  readonly status: AgentStatus;
  /** The card is the agent's own word, not one of the tenant's people: no secret is sent for it. */
  readonly isDiscovered: boolean;
}
