import { OPERATIONS } from '../../../sdk/typescript/src/client/operation-table.ts';
import type {
  BodyOf,
  OperationName,
  QueryOf,
  ReplyOf,
} from '../../../sdk/typescript/src/client/wire.ts';
import { ApiError, readApiError } from './api-error.ts';
import { API_URL } from './base.ts';
import { chosenTenant } from './chosen-tenant.ts';
import { reportReached, reportUnreached } from './outage.ts';

export type { BodyOf, OperationName, QueryOf, ReplyOf };

/** Cross-site pages cannot send this header without asking first. See decision 0047. */
export const CONSOLE_HEADER = { 'x-svc-console': '1' } as const;

export interface CallParams<Name extends OperationName> {
  /** Values of the parameters in the path, by their names in the API's document. */
  readonly path?: Readonly<Record<string, string>>;
  /** Members that are undefined are not sent. */
  readonly query?: { readonly [Key in keyof QueryOf<Name>]?: QueryOf<Name>[Key] | undefined };
  readonly body?: BodyOf<Name>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Calls an operation of the API by its name in `/openapi.json` and returns the JSON of the answer.
 * Throws an `ApiError` for a refusal and where there is no answer.
 */
export async function call<Name extends OperationName>(
  name: Name,
  params: CallParams<Name> = {},
): Promise<ReplyOf<Name>> {
  const { method, path } = OPERATIONS[name];
  const { signal, body } = params;
  const response = await fetchApi(fillPath(path, params.path) + writeQuery(params.query), {
    method,
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...params.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  const text = await response.text();
  // The types are those of the document that the service itself publishes.
  return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<Name>;
}

/** Like `fetch`, for an address below `api/`: streams and downloads. Throws `ApiError`. */
export async function fetchApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(requestHeaders())) headers.set(name, value);
  const url = new URL(path.replace(/^\//, ''), API_URL);
  const response = await fetchOrExplain(new Request(url, { ...init, headers }));
  if (!response.ok) throw await readApiError(response);
  return response;
}

function requestHeaders(): Readonly<Record<string, string>> {
  const tenant = chosenTenant();
  return tenant === null ? CONSOLE_HEADER : { ...CONSOLE_HEADER, 'x-tenant-id': tenant };
}

function fillPath(path: string, values: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The path ${path} needs a value for ${name}.`);
    return encodeURIComponent(value);
  });
}

function writeQuery(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function fetchOrExplain(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    reportReached();
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    reportUnreached();
    throw new ApiError({
      status: 0,
      code: 'no_answer',
      message: 'The service does not answer. The console tries again.',
      requestId: null,
      body: null,
    });
  }
}
