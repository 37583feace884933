import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { routes } from '../../../src/api/routes.ts';

export interface ApiCall {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: no Authorization header. */
  readonly token?: string | null;
  /** Aborting it closes the connection. */
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  /** `error` of the body; empty without one. */
  readonly error: string;
}

/** A text that the answer's body must contain. */
export function textOf(answer: { readonly body: JsonObject }, field: string): string {
  const value = answer.body[field];
  if (typeof value !== 'string') throw new Error(`${field} is ${JSON.stringify(value)}`);
  return value;
}

/**
 * Sends one request and checks the rules for every answer: the content type of JSON, a request id,
 * and for a success the shape that its route declares.
 */
export async function callApi(url: string, call: ApiCall): Promise<ApiAnswer> {
  const { path, body: sent, token } = call;
  const method = call.method ?? (sent === undefined ? 'GET' : 'POST');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
    },
    signal: call.signal ?? null,
    ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
  });
  const { status, headers } = response;
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as JsonObject;
  const error = typeof body['error'] === 'string' ? body['error'] : '';
  const where = `${method} ${path} answered ${status} ${text}`;
  const type = headers.get('content-type');
  if (text !== '' && type !== 'application/json; charset=utf-8')
    throw new Error(`${where} ${type}`);
  if (headers.get('x-request-id') === null) throw new Error(`${where} without X-Request-Id`);
  if (response.ok && text !== '' && !checkShape(method, path, status, body)) {
    throw new Error(`${where}, which its route does not declare`);
  }
  return { status, headers, body, error };
}

/** Throws when the body differs from the declared shape; false for a route without one. */
function checkShape(method: string, path: string, status: number, body: JsonObject): boolean {
  const [pathname = ''] = path.split('?');
  const route = routes.find(
    (endpoint) =>
      endpoint.method === method &&
      new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  const schema = route?.replies[status];
  schema?.parse(body);
  return schema !== undefined;
}
