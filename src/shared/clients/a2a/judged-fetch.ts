import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import { isJsonObject } from '../../domain/json.ts';
import { readRetryAfter } from '../models/retry-after.ts';

/**
 * A `fetch` that says itself what became of a request that got no proper answer: the SDK's messages
 * quote what was answered, and tell no status. Answers that may carry an error of the protocol are
 * passed on.
 */
export function createJudgedFetch(params: {
  readonly fetch: typeof globalThis.fetch;
  /** How messages name the agent. */
  readonly name: string;
}): typeof globalThis.fetch {
  const { fetch, name } = params;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const failure = judge(response, name);
    if (failure.isFinal && failure.errorClass === 'http_4xx') {
      const body = await response.text();
      // The SDK finds in it what is wrong.
      if (isOfProtocol(body)) return new Response(body, response);
    }
    await response.body?.cancel().catch(() => {});
    throw failure;
  };
}

function judge({ status, headers }: Response, name: string): AgentFailure {
  const message = `agent ${name} answered ${status}`;
  if (status === 401 || status === 403) {
    return new AgentFailure(message, { errorClass: 'unauthorized', isFinal: true });
  }
  if (status === 429) {
    const retryAfterMs = readRetryAfter(headers, Date.now()) ?? RETRY_AFTER_MS;
    return new AgentFailure(message, { errorClass: 'rate_limited', retryAfterMs });
  }
  if (status >= 500) return new AgentFailure(message, { errorClass: 'http_5xx' });
  if (status === 408) return new AgentFailure(message, { errorClass: 'timeout' });
  const isFinal = ![409, 425].includes(status);
  return new AgentFailure(message, { errorClass: 'http_4xx', isFinal });
}

/** JSON-RPC, or an error of HTTP+JSON: `google.rpc.Status`, in 0.3 code and message. */
function isOfProtocol(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    if (!isJsonObject(value)) return false;
    const { error = null } = value;
    return 'jsonrpc' in value || (isJsonObject(error) && 'code' in error) || 'code' in value;
  } catch {
    return false;
  }
}

/** When the agent doesn't say. */
const RETRY_AFTER_MS = 5_000;
