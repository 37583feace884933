import { isJsonObject, type JsonValue } from '../../domain/json.ts';

export interface ApiTarget {
  /** Base URL of the runtime; a path in it is kept. */
  readonly url: string;
  readonly token: string | null;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null>>;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The runtime answered with an error status. The message is the runtime's own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No answer: refused, unresolvable, cut off, or nothing within the time allowed. */
export class ApiUnreachableError extends Error {
  override readonly name = 'ApiUnreachableError';
  readonly url: string;
  /** System error code such as ECONNREFUSED; null when there is none. */
  readonly code: string | null;

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${describe(cause)}`, { cause });
    this.url = url;
    this.code = codeOf(cause);
  }
}

/** Sends one request; resolves with a response of a 2xx status, whose body has not been read. */
export async function sendRequest(target: ApiTarget, request: ApiRequest): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
  if (target.token !== null) headers['authorization'] = `Bearer ${target.token}`;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(buildUrl(target, request), {
      method: request.method,
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: request.signal ?? null,
    });
  } catch (error) {
    if (isCallersAbort(request.signal)) throw error;
    throw new ApiUnreachableError(target.url, error);
  }
  if (!response.ok) throw await readError(target, response);
  return response;
}

/** The body of an answer as JSON; anything else means that something else than svc is there. */
export async function readJson<Body>(target: ApiTarget, response: Response): Promise<Body> {
  const text = await readText(target, response);
  try {
    return JSON.parse(text) as Body;
  } catch (error) {
    throw new ApiUnreachableError(
      target.url,
      new Error('the answer is not JSON, so this is hardly the runtime', { cause: error }),
    );
  }
}

/** Not a timeout: the one who asked has lost interest. */
function isCallersAbort(signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true) return false;
  const reason: unknown = signal.reason;
  return !(reason instanceof DOMException && reason.name === 'TimeoutError');
}

function buildUrl(target: ApiTarget, request: ApiRequest): URL {
  const url = new URL(target.url);
  url.pathname = url.pathname.replace(/\/+$/, '') + request.path;
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

async function readError(target: ApiTarget, response: Response): Promise<ApiError> {
  const text = await readText(target, response);
  return new ApiError(response.status, messageFrom(text) ?? `HTTP status ${response.status}`);
}

function messageFrom(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body)) return null;
    const message = body['error'] ?? body['reason'];
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}

async function readText(target: ApiTarget, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new ApiUnreachableError(target.url, error);
  }
}

/** fetch hides the reason in `cause`, and several addresses tried in an AggregateError. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'it took too long';
  const inner = innermost(error);
  return inner.message === '' ? (codeOf(error) ?? inner.name) : inner.message;
}

function codeOf(error: unknown): string | null {
  const inner = error instanceof Error ? innermost(error) : null;
  return inner !== null && 'code' in inner && typeof inner.code === 'string' ? inner.code : null;
}

function innermost(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  const isFetchFailure = error instanceof TypeError && error.cause instanceof Error;
  return isFetchFailure ? innermost(error.cause as Error) : error;
}
