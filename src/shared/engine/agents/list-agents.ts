import type { AgentProtocol, AgentStatus } from '../../domain/agents/agent-card.ts';
import type { AgentPosition, AgentRow } from '../../store/agents.ts';
import type { Reader } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';

export interface AgentFilter {
  readonly status: AgentStatus | null;
  readonly skill: string | null;
  readonly protocol: AgentProtocol | null;
}

export interface ListAgents extends AgentFilter {
  readonly after?: AgentPosition | null;
  readonly limit: number;
  readonly offset: number;
}

/** The tenant's agents, newest first. */
export function listAgents(
  { store, settings }: AgentsDeps,
  { tenantId }: Reader,
  params: ListAgents,
): Promise<readonly AgentRow[]> {
  return store.list({ ...params, tenantId, heartbeatTimeoutMs: settings.heartbeatTimeoutMs });
}

export function countAgents(
  { store, settings }: AgentsDeps,
  { tenantId }: Reader,
  filter: AgentFilter,
): Promise<number> {
  return store.count({ ...filter, tenantId, heartbeatTimeoutMs: settings.heartbeatTimeoutMs });
}
