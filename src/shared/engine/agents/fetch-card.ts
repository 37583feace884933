import { readAgentCard, type ReadCard } from '../../domain/agents/read-agent-card.ts';
import { badRequest, SvcError } from '../../domain/errors.ts';
import { HttpError } from '../../domain/http-error.ts';
import type { HttpResponse } from '../../ports/http.ts';
import type { AgentsDeps } from './deps.ts';

/** For both places together. */
const DISCOVERY_MS_MAX = 5_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const PROBLEMS_TOLD = 5;

export type GoodCard = Extract<ReadCard, { readonly ok: true }>;

/**
 * The first card of the places. If the first place has something other than a card, it tries the
 * second, because many servers answer every path with a page. Throws 400 for an answer that is no
 * valid card and 502 where no server gives one.
 */
export async function fetchCard(
  deps: Pick<AgentsDeps, 'http' | 'now'>,
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
