import { readAgentCard } from '../../domain/agents/read-agent-card.ts';
import { badRequest } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AgentRow } from '../../store/agents.ts';
import type { Caller } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';

const PROBLEMS_TOLD = 5;

/** Registers an Agent Card, or gives a registered agent a new one. Throws 400 for a bad card. */
export async function registerAgent(
  { store, ids, settings }: AgentsDeps,
  { tenantId, actorId }: Caller,
  { card: document }: { readonly card: JsonObject },
): Promise<AgentRow> {
  const read = readAgentCard(document);
  if (!read.ok) throw badRequest(read.problems.slice(0, PROBLEMS_TOLD).join('; '));
  const { card } = read;
  const agentId = read.id ?? ids.uuid();
  const row = await store.register({
    tenantId,
    agentId,
    card,
    discoveredFrom: null,
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
    actorId,
  });
  if (row === null) throw new Error(`agent ${agentId} was registered without an answer`);
  return row;
}
