/**
 * Where an agent's card is looked for, given the agent's address: the place the interface document
 * names, then that of A2A since 0.3. An address that ends in one of the two is taken for the agent
 * behind it. Null: not a URL.
 */
export function cardAddresses(
  address: string,
): { readonly base: string; readonly candidates: readonly string[] } | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  url.search = '';
  url.hash = '';
  // Looked for from the first slash of a run only: from each, a long run would take hours.
  const base = url.href.replace(CARD_PATH, '').replace(/(?<!\/)\/+$/, '');
  return {
    base,
    candidates: [`${base}/.well-known/agent.json`, `${base}/.well-known/agent-card.json`],
  };
}

const CARD_PATH = /\/\.well-known\/agent(-card)?\.json$/;
