import type { AgentRow } from '../../store/agents.ts';
import type { Caller } from '../caller.ts';
import { askAgent, type AgentName } from './ask-agent.ts';
import type { AgentsDeps } from './deps.ts';

/** The agent afterwards. Throws 404. */
export function activateAgent(
  deps: AgentsDeps,
  { tenantId, actorId }: Caller,
  { agentId }: AgentName,
): Promise<AgentRow> {
  return askAgent(deps, { tenantId, actorId, agentId }, (ref) => deps.store.activate(ref));
}
