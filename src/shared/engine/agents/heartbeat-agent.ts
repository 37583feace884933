import type { AgentRow } from '../../store/agents.ts';
import type { Reader } from '../caller.ts';
import { askAgent, type AgentName } from './ask-agent.ts';
import type { AgentsDeps } from './deps.ts';

/** The agent afterwards; a deactivated one has not been heard. Throws 404. */
export function heartbeatAgent(
  deps: AgentsDeps,
  { tenantId }: Reader,
  { agentId }: AgentName,
): Promise<AgentRow> {
  return askAgent(deps, { tenantId, agentId }, (ref) => deps.store.heartbeat(ref));
}
