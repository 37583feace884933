import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { A2aTarget } from '../../ports/a2a.ts';

const CARD_BYTES_MAX = 1024 * 1024;

/**
 * The agent's card, from where the definition says it is, else from the well-known places: that of
 * A2A since 0.3, and the one before. Servers of both versions tell by the header which is wanted.
 */
export async function fetchCard(params: {
  readonly target: A2aTarget;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}): Promise<JsonObject> {
  const { target, fetch, signal } = params;
  const { name } = target;
  let failure: unknown = null;
  for (const url of placesOf(target)) {
    try {
      const headers = { accept: 'application/json', 'A2A-Version': '1.0' };
      return await readBody(await fetch(url, { headers, signal }), name);
    } catch (error) {
      // If the card is nowhere, the error of the first place is reported; other errors end the
      // search.
      failure ??= error;
      if (!(error instanceof AgentFailure) || error.errorClass !== 'http_4xx') throw error;
    }
  }
  throw failure;
}

function placesOf({ url, cardPath }: A2aTarget): readonly string[] {
  // The last part of an address belongs to it; it is not a file beside the card.
  const base = url.endsWith('/') ? url : `${url}/`;
  if (cardPath !== null) return [new URL(cardPath, base).href];
  const places = ['.well-known/agent-card.json', '.well-known/agent.json'];
  return places.map((place) => new URL(place, base).href);
}

async function readBody(response: Response, name: string): Promise<JsonObject> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new AgentFailure(`agent ${name} answered ${response.status} where its card should be`, {
      errorClass: response.status >= 500 ? 'http_5xx' : 'http_4xx',
      isFinal: response.status < 500,
    });
  }
  const text = await response.text();
  if (text.length > CARD_BYTES_MAX) {
    throw new AgentFailure(`the card of agent ${name} is too large`, {
      errorClass: 'too_large',
      isFinal: true,
    });
  }
  const card = parse(text);
  if (isJsonObject(card)) return card;
  throw new AgentFailure(`agent ${name} has no card: what stands in its place is no JSON object`, {
    errorClass: 'invalid_response',
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
