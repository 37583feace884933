import { cardAddresses } from '../../domain/agents/card-addresses.ts';
import { badRequest, conflict } from '../../domain/errors.ts';
import type { AgentRow } from '../../store/agents.ts';
import type { Caller } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';
import { fetchCard } from './fetch-card.ts';

/**
 * Fetches an agent's card and registers it. A card without an id belongs to the agent that was
 * discovered there before, if any, so that discovering again refreshes it.
 *
 * The card is not trusted. So it must not replace an agent that was registered in another way or
 * discovered elsewhere: it would get that agent's calls.
 */
export async function discoverAgent(
  deps: AgentsDeps,
  { tenantId, actorId }: Caller,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<AgentRow> {
  const { store, ids, settings } = deps;
  const places = cardAddresses(url);
  if (places === null) throw badRequest('url is not a URL');
  const { card, id } = await fetchCard(deps, { candidates: places.candidates, signal });
  const discoveredFrom = places.base;
  const known = id === null ? await store.findDiscovered({ tenantId, discoveredFrom }) : null;
  const agentId = id ?? known?.agentId ?? ids.uuid();
  const row = await store.register({
    tenantId,
    agentId,
    card: { ...card, uri: card.uri ?? places.base },
    discoveredFrom,
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
    actorId,
  });
  if (row !== null) return row;
  throw conflict(
    `agent ${agentId} is registered already and was not discovered at ${places.base}; ` +
      'register the card with POST /agents to replace it',
  );
}
