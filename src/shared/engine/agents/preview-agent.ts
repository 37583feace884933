import type { AgentCard } from '../../domain/agents/agent-card.ts';
import { cardAddresses } from '../../domain/agents/card-addresses.ts';
import { badRequest } from '../../domain/errors.ts';
import type { Reader } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';
import { fetchCard } from './fetch-card.ts';

export interface AgentPreview {
  readonly card: AgentCard;
  readonly discoveredFrom: string;
  /** Null: a new one. */
  readonly agentId: string | null;
  readonly outcome: PreviewOutcome;
}

/**
 * `refuses`: an agent with the id of the card was registered in another way or discovered
 * elsewhere.
 */
export const PREVIEW_OUTCOMES = ['registers', 'refreshes', 'refuses'] as const;
export type PreviewOutcome = (typeof PREVIEW_OUTCOMES)[number];

/** The card at an address, and the outcome of a discovery there. Stores nothing. */
export async function previewAgent(
  deps: AgentsDeps,
  { tenantId }: Reader,
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<AgentPreview> {
  const { store, settings } = deps;
  const { heartbeatTimeoutMs } = settings;
  const places = cardAddresses(url);
  if (places === null) throw badRequest('url is not a URL');
  const { base: discoveredFrom, candidates } = places;
  const { card, id } = await fetchCard(deps, { candidates, signal });
  const known = id === null ? await store.findDiscovered({ tenantId, discoveredFrom }) : null;
  const agentId = id ?? known?.agentId ?? null;
  const present =
    agentId === null ? null : await store.find({ tenantId, agentId, heartbeatTimeoutMs });
  const isRefresh = present?.discoveredFrom === discoveredFrom;
  return {
    card: { ...card, uri: card.uri ?? discoveredFrom },
    discoveredFrom,
    agentId,
    outcome: present === null ? 'registers' : isRefresh ? 'refreshes' : 'refuses',
  };
}
