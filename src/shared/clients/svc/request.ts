import { isJsonObject, type JsonValue } from '../../domain/json.ts';

export interface ApiTarget {
  /** Base URL of the runtime; a path in it is kept. */
  readonly url: string;
  readonly token: string | null;
  /** Longest wait for an answer; default: a minute. */
  readonly answerMsMax?: number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null>>;
  readonly body?: JsonValue;
  /** Bytes in place of a JSON body; the headers say what they are. */
  readonly content?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The runtime answered with an error status. The message is the runtime's own. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** `code` of the answer, such as `concurrency_limit`; null: it has none. */
  readonly code: string | null;
  /** `hint` of the answer: what would allow the request; null: it has none. */
  readonly hint: string | null;

  constructor(
    status: number,
    message: string,
    {
      code = null,
      hint = null,
    }: { readonly code?: string | null; readonly hint?: string | null } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** Something answers at the address, and it is not a runtime. */
export class ForeignServiceError extends Error {
  override readonly name = 'ForeignServiceError';

  constructor(url: string, found: string) {
    super(`what answers at ${url} is not an svc runtime: ${found}`);
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
      body: request.body === undefined ? (request.content ?? null) : JSON.stringify(request.body),
      signal: request.signal ?? null,
    });
  } catch (error) {
    if (isCallersAbort(request.signal)) throw error;
    throw new ApiUnreachableError(target.url, error);
  }
  if (!response.ok) throw await readError(target, response);
  return response;
}

/**
 * The body of an answer: a JSON object with `member`, or the address belongs to another service.
 */
export async function readJson<Body>(
  target: ApiTarget,
  response: Response,
  member: string & keyof Body,
): Promise<Body> {
  const body = parse(await readText(target, response));
  if (isJsonObject(body) && member in body) return body as Body;
  const found = body === undefined ? 'an answer that is not JSON' : `an answer without "${member}"`;
  throw new ForeignServiceError(target.url, `it gave ${found}`);
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

async function readError(
  target: ApiTarget,
  response: Response,
): Promise<ApiError | ForeignServiceError> {
  const { status } = response;
  const body = parse(await readText(target, response));
  const message = messageIn(body);
  if (message !== null && (status !== 404 || NOT_FOUND.test(message))) {
    return new ApiError(status, message, {
      code: textIn(body, 'code'),
      hint: textIn(body, 'hint'),
    });
  }
  const found = `HTTP status ${status}`;
  // A proxy in front of a runtime answers like this while the runtime is away.
  if (status >= 500 || status === 429) return new ApiError(status, `${found} from ${target.url}`);
  return new ForeignServiceError(target.url, `it gave ${found} without an error of svc`);
}

/** Other services have such a field too, often with the status's own name. */
const NOT_FOUND = /^not found: /;

function messageIn(body: JsonValue | undefined): string | null {
  if (!isJsonObject(body)) return null;
  const message = body['error'] ?? body['reason'];
  return typeof message === 'string' ? message : null;
}

function textIn(body: JsonValue | undefined, member: string): string | null {
  const value = isJsonObject(body) ? body[member] : undefined;
  return typeof value === 'string' ? value : null;
}

/** Undefined: not JSON. */
function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
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
  // OpenSSL ends its own with a line break.
  const message = inner.message.trim();
  return message === '' ? (codeOf(error) ?? inner.name) : message;
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
