import { evaluateMapping } from '../../domain/expression/mapping.ts';
import { HttpError, type HttpErrorCode } from '../../domain/http-error.ts';
import type { JsonValue } from '../../domain/json.ts';
import { findKeepProblem } from '../../domain/keepable-json.ts';
import type { HttpTool } from '../../domain/tools/http-tool.ts';
import { redactSecrets } from '../../domain/tools/redact-secrets.ts';
import { renderRequest } from '../../domain/tools/render-request.ts';
import type { HttpResponse } from '../../ports/http.ts';
import type { ToolCall, ToolDeps, ToolOutcome } from './tool-call.ts';
import { readRetryAfter } from './read-retry-after.ts';

/** One request. The other side's error texts are not used: they may contain anything. */
export async function callHttpTool(
  deps: ToolDeps,
  params: { readonly http: HttpTool; readonly name: string; readonly call: ToolCall },
): Promise<ToolOutcome> {
  const { http, name, call } = params;
  const { tenantId, input, scope, idempotencyKey, signal } = call;
  const rendered = renderRequest({
    tool: http,
    input,
    scope,
    readSecret: (secret) => deps.secrets.read({ name: secret, tenantId }),
  });
  if (!rendered.ok) {
    const { error, errorClass } = rendered;
    return { ok: false, error: `${name}: ${error}`, errorClass, final: true };
  }
  const { url, headers, body, secrets, secretTravels } = rendered.request;
  let response: HttpResponse;
  try {
    response = await deps.http.fetch({
      url,
      method: http.method,
      headers: { 'idempotency-key': idempotencyKey, ...headers },
      ...(body !== null && { body }),
      timeoutMs: http.timeoutMs,
      responseBytesMax: http.responseBytesMax,
      redirects: secretTravels ? 'same_origin' : 'follow',
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // For the requested address, not for the target of a redirect.
    const { message } = new HttpError(error.code, new URL(url).host);
    return { ok: false, error: `${name}: ${message}`, ...FAILURES[error.code] };
  }
  const refused = judgeStatus(response, { name, method: http.method, url, now: deps.now });
  if (refused !== null) return refused;
  const read = readBody(response);
  // Before anything walks through it: it may be nested as deep as it is long.
  const kept = read.problem === null ? findKeepProblem(read.body) : null;
  const problem = kept === null ? read.problem : `its answer holds ${kept}`;
  if (problem !== null) {
    return { ok: false, error: `${name}: ${problem}`, errorClass: 'invalid_response' };
  }
  const answer = { status: response.status, headers: response.headers, body: read.body };
  const output = redactSecrets(http.responseMapping === null ? read.body : answer, secrets);
  if (http.responseMapping === null) return { ok: true, output, statePatch: {} };
  const mapped = evaluateMapping(http.responseMapping, { ...scope, input, output });
  if (mapped.ok) return { ok: true, output: mapped.value, statePatch: {} };
  const error = `${name}: response_mapping: ${mapped.message}`;
  return { ok: false, error, errorClass: 'expression_error', final: true };
}

function judgeStatus(
  response: HttpResponse,
  asked: {
    readonly name: string;
    readonly method: string;
    readonly url: string;
    readonly now: () => number;
  },
): ToolOutcome | null {
  const { status } = response;
  if (status >= 200 && status < 300) return null;
  const error = `${asked.name}: ${asked.method} ${new URL(asked.url).host} answered ${status}`;
  const tellsWhen = status === 429 || status === 503;
  const retryAfterMs = tellsWhen ? readRetryAfter(response.headers, asked.now()) : null;
  const later = retryAfterMs === null ? {} : { retryAfterMs };
  if (status === 429) return { ok: false, error, errorClass: 'rate_limited', ...later };
  if (status >= 500) return { ok: false, error, errorClass: 'http_5xx', ...later };
  if (status < 400) return { ok: false, error, errorClass: 'invalid_response', final: true };
  const final = !RETRYABLE.includes(status);
  return { ok: false, error, errorClass: 'http_4xx', ...(final && { final }) };
}

interface ReadBody {
  readonly body: JsonValue;
  readonly problem: string | null;
}

/** JSON where the answer says so, else text; null where there is nothing. */
function readBody({ body, headers }: HttpResponse): ReadBody {
  if (body.length === 0) return { body: null, problem: null };
  let text: string;
  try {
    text = UTF_8.decode(body);
  } catch {
    return { body: null, problem: 'its answer is no text in UTF-8' };
  }
  const [mediaType = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (!/^\s*application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*$/.test(mediaType)) {
    return { body: text, problem: null };
  }
  try {
    return { body: JSON.parse(text) as JsonValue, problem: null };
  } catch {
    return { body: null, problem: 'its answer says it is JSON and is not' };
  }
}

/** Whether the request reached its end is unknown for most: the next attempt carries the same key. */
const FAILURES: Readonly<
  Record<HttpErrorCode, { readonly errorClass: string; readonly final?: true }>
> = {
  bad_url: { errorClass: 'invalid_input', final: true },
  refused_address: { errorClass: 'refused_address', final: true },
  refused_redirect: { errorClass: 'refused_address', final: true },
  unreachable: { errorClass: 'unreachable' },
  timed_out: { errorClass: 'timeout' },
  too_large: { errorClass: 'too_large', final: true },
  encoded: { errorClass: 'invalid_response', final: true },
  too_many_redirects: { errorClass: 'invalid_response', final: true },
  aborted: { errorClass: 'error' },
};

/** Request Timeout and Too Early. */
const RETRYABLE = [408, 425];
const UTF_8 = new TextDecoder('utf-8', { fatal: true });
