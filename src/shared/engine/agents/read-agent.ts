import type { AgentRow } from '../../store/agents.ts';
import type { Reader } from '../caller.ts';
import { askAgent, type AgentName } from './ask-agent.ts';
import type { AgentsDeps } from './deps.ts';

/** Throws 404 when the tenant has no such agent. */
export function readAgent(
  deps: AgentsDeps,
  { tenantId }: Reader,
  { agentId }: AgentName,
): Promise<AgentRow> {
  return askAgent(deps, { tenantId, agentId }, (ref) => deps.store.find(ref));
}
