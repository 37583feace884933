export interface HttpRequest {
  /** By default GET without a body, and POST with one. */
  readonly method?: string;
  readonly path: string;
  /** Null: no Authorization header. */
  readonly token?: string | null;
  readonly tenantId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

export interface Reply<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Null without a body. */
  readonly body: Body;
}

export interface ErrorBody {
  readonly error: string;
}

const REQUEST_MS_MAX = 40_000;

/** Sends one request. The body of the answer must be JSON, or empty. */
export async function sendRequest<Body = unknown>(
  url: string,
  request: HttpRequest,
): Promise<Reply<Body>> {
  const response = await openRequest(url, request);
  const text = await response.text();
  const type = response.headers.get('Content-Type');
  if (text !== '' && type !== 'application/json; charset=utf-8') {
    throw new Error(`${request.path} answered ${response.status} as ${type}: ${text}`);
  }
  const body = (text === '' ? null : JSON.parse(text)) as Body;
  return { status: response.status, headers: response.headers, body };
}

/** Sends one request and leaves the answer's body to the caller. */
export function openRequest(url: string, request: HttpRequest): Promise<Response> {
  const { path, token, tenantId, body, raw } = request;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return fetch(url + path, {
    method: request.method ?? (payload === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(tenantId !== undefined && { 'X-Tenant-Id': tenantId }),
      ...(payload !== undefined && { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(payload !== undefined && { body: payload }),
    signal: request.signal ?? AbortSignal.timeout(REQUEST_MS_MAX),
  });
}

/** The statuses of the answers to concurrent requests, in ascending order. */
export function statusesOf(replies: readonly Reply[]): readonly number[] {
  return replies.map(({ status }) => status).toSorted((one, other) => one - other);
}
