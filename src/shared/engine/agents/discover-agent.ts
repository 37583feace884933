import { cardAddresses } from '../../domain/agents/card-addresses.ts';
import { readAgentCard, type ReadCard } from '../../domain/agents/read-agent-card.ts';
import { badRequest, conflict, SvcError } from '../../domain/errors.ts';
import { HttpError } from '../../domain/http-error.ts';
import type { HttpResponse } from '../../ports/http.ts';
import type { AgentRow } from '../../store/agents.ts';
import type { Caller } from '../caller.ts';
import type { AgentsDeps } from './deps.ts';

/** For both places together. */
const DISCOVERY_MS_MAX = 5_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const PROBLEMS_TOLD = 5;

/**
 * Fetches an agent's card and registers it. If the first place has something other than a card, it
 * tries the second, because many servers answer every path with a page. A card without an id
 * belongs to the agent that was discovered there before, if any, so that discovering again
 * refreshes it.
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

type GoodCard = Extract<ReadCard, { readonly ok: true }>;

async function fetchCard(
  deps: AgentsDeps,
  params: { readonly candidates: readonly string[]; readonly signal: AbortSignal },
): Promise<GoodCard> {
  const deadline = deps.now() + DISCOVERY_MS_MAX;
  const failures: SvcError[] = [];
  for (const url of params.candidates) {
    const timeoutMs = Math.max(1, Math.floor(deadline - deps.now()));
    const response = await deps.http
      .fetch({
        url,
        headers: { accept: 'application/json' },
        timeoutMs,
        responseBytesMax: RESPONSE_BYTES_MAX,
        signal: params.signal,
      })
      .catch((error: unknown) => {
        throw explain(error);
      });
    const read = readResponse(url, response);
    if (!(read instanceof SvcError)) return read;
    failures.push(read);
  }
  // Something that is no card says more than the places where there is nothing.
  throw failures.find(({ status }) => status === 400) ?? failures[0] ?? badRequest('url is no URL');
}

function readResponse(url: string, response: HttpResponse): GoodCard | SvcError {
  const { status, headers, body } = response;
  if (status < 200 || status > 299) {
    return new SvcError('bad_gateway', `${url} answered ${status}`);
  }
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (!/^[\w.+-]+\/([\w.-]+\+)?json$/.test(type.trim())) {
    return badRequest(`${url} is no agent card: its content type is not JSON`);
  }
  const document = parseJson(body);
  if (document === undefined) return badRequest(`${url} is no agent card: it is not JSON`);
  const read = readAgentCard(document);
  if (read.ok) return read;
  const problems = read.problems.slice(0, PROBLEMS_TOLD).join('; ');
  return badRequest(`${url} is no valid agent card: ${problems}`);
}

/** Undefined: not JSON, or not UTF-8. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** A mistake of the caller is a 400; a failure of the other side is a 502. */
function explain(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const isOurRule = error.code === 'bad_url' || error.code === 'refused_address';
  return new SvcError(isOurRule ? 'bad_request' : 'bad_gateway', error.message, { cause: error });
}
