import { toMs, type Duration } from '../duration.ts';
import { refuseUnknown } from '../known-options.ts';
import { toJson } from '../to-json.ts';
import { sleep, type Environment } from './environment.ts';
import { SvcError, TimeoutError, ValidationError } from './errors.ts';
import {
  explainAnswer,
  explainNoAnswer,
  foreignService,
  parseJson,
  type Target,
} from './explain-failure.ts';
import { linkSignal, type LinkedSignal } from './linked-signal.ts';
import { OPERATIONS } from './operation-table.ts';
import { isRepeatable, retryDelayMs, type RetryPolicy } from './retry.ts';
import type { OperationName, ReplyOf } from './wire.ts';

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call and its further attempts; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Longest time of the call with all its attempts; instead of the client's `timeout`. */
  readonly timeout?: Duration;
}

export interface Request extends CallOptions {
  /** Values of the parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a body in JSON. */
  readonly content?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the service itself may wait before it answers; an attempt has so much more time. */
  readonly waitMs?: number;
}

export interface TransportOptions {
  readonly url: string;
  readonly token: (() => string | null | Promise<string | null>) | null;
  readonly tenantId: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly environment: Environment;
}

/** Sends requests to one service. Throws the errors of `errors.ts`, or the caller's abort reason. */
export interface Transport {
  readonly environment: Environment;
  readonly retry: RetryPolicy;
  /** The JSON of the answer. */
  readonly call: <Name extends OperationName>(
    name: Name,
    request?: Request,
  ) => Promise<ReplyOf<Name>>;
  /** The answer with its status and its body as bytes. */
  readonly send: (name: OperationName, request?: Request) => Promise<Answer>;
  /** An answer whose body is read as it comes; `link` bounds the time between two pieces of it. */
  readonly open: (
    name: OperationName,
    request: Request & { readonly idleMs: number },
  ) => Promise<OpenAnswer>;
  readonly target: () => Target;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

export interface OpenAnswer {
  readonly response: Response;
  readonly link: LinkedSignal;
}

/** @throws TypeError for a parameter that the operation does not have */
function checkQuery(name: OperationName, { query }: Request): void {
  const operation = OPERATIONS[name];
  if (query !== undefined && 'query' in operation) refuseUnknown(query, operation.query, name);
}

export function createTransport(options: TransportOptions): Transport {
  const { environment } = options;

  async function withRetries<Result>(
    name: OperationName,
    request: Request,
    attempt: (timeoutMs: number) => Promise<Result>,
  ): Promise<Result> {
    const timeoutMs =
      request.timeout === undefined
        ? options.timeoutMs + (request.waitMs ?? 0)
        : toMs(request.timeout, 'timeout');
    const deadline = environment.now() + timeoutMs;
    const signal = request.signal ?? null;
    checkQuery(name, request);
    for (let attempts = 1; ; attempts += 1) {
      const leftMs = deadline - environment.now();
      const attemptMs = Math.min(leftMs, options.attemptTimeoutMs + (request.waitMs ?? 0));
      try {
        return await attempt(attemptMs);
      } catch (error) {
        const delayMs = retryDelayMs({
          error,
          attempts,
          repeatable: isRepeatable(name),
          policy: options.retry,
          random: environment.random,
        });
        const isTooLate = delayMs === null || environment.now() + delayMs >= deadline;
        if (!(error instanceof SvcError) || isTooLate) throw error;
        await sleep(environment, delayMs, signal);
      }
    }
  }

  /** One attempt up to the headers of an answer that is no error. */
  async function begin(name: OperationName, request: Request, link: LinkedSignal) {
    const token = (await options.token?.()) ?? null;
    const target = targetOf(options, token);
    try {
      const response = await environment.fetch(urlOf(options.url, name, request), {
        method: OPERATIONS[name].method,
        headers: headersOf(options, request, token),
        body: bodyOf(request),
        signal: link.signal,
      });
      if (response.status < 400) return { response, target };
      throw explainAnswer(target, response, await response.text());
    } catch (error) {
      throw asSvcError(error, { target, link, signal: request.signal });
    }
  }

  async function send(name: OperationName, request: Request = {}) {
    const signal = request.signal ?? null;
    return withRetries(name, request, async (timeoutMs) => {
      const link = linkSignal({ environment, signal, timeoutMs });
      try {
        const { response, target } = await begin(name, request, link);
        const bytes = await response.arrayBuffer().catch((error: unknown) => {
          throw asSvcError(error, { target, link, signal: request.signal });
        });
        const { status, headers } = response;
        return { status, headers, target, bytes: new Uint8Array(bytes) };
      } finally {
        link.release();
      }
    });
  }

  return {
    environment,
    retry: options.retry,
    target: () => targetOf(options, null),
    send,
    call: async <Name extends OperationName>(name: Name, request: Request = {}) => {
      const { bytes, headers, target } = await send(name, request);
      const body = parseJson(new TextDecoder().decode(bytes));
      if (typeof body === 'object' && body !== null) return body as ReplyOf<Name>;
      const type = headers.get('content-type') ?? 'nothing';
      throw foreignService(target, `${type} for ${OPERATIONS[name].path}`);
    },
    open: (name, request) =>
      withRetries(name, request, async () => {
        const signal = request.signal ?? null;
        const link = linkSignal({ environment, signal, timeoutMs: request.idleMs });
        try {
          return { response: (await begin(name, request, link)).response, link };
        } catch (error) {
          link.release();
          throw error;
        }
      }),
  };
}

/** Null of the token: it is not known here, and counts as sent where the client has one. */
function targetOf(options: TransportOptions, token: string | null): Target {
  return {
    url: options.url,
    hasToken: token !== null,
    tenantId: options.tenantId,
  };
}

/** Turns an error of fetch into one of the client; the caller's own abort reason stays unchanged. */
function asSvcError(
  error: unknown,
  by: {
    readonly target: Target;
    readonly link: LinkedSignal;
    readonly signal?: AbortSignal | undefined;
  },
): unknown {
  if (error instanceof SvcError) return error;
  if (by.signal?.aborted === true) return by.signal.reason;
  if (by.link.timedOut()) {
    return new TimeoutError(
      `no answer from ${by.target.url} in time; raise the timeout, or see whether svc is overloaded`,
      { cause: error },
    );
  }
  return explainNoAnswer(by.target, error);
}

function urlOf(base: string, name: OperationName, { path = {}, query = {} }: Request): URL {
  const url = new URL(base);
  const filled = OPERATIONS[name].path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(path[field] ?? ''),
  );
  url.pathname = url.pathname.replace(/\/+$/, '') + filled;
  for (const [field, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(field, String(value));
  }
  return url;
}

function headersOf(
  options: TransportOptions,
  request: Request,
  token: string | null,
): Record<string, string> {
  return {
    accept: 'application/json',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(options.tenantId !== null && { 'x-tenant-id': options.tenantId }),
    ...options.headers,
    ...request.headers,
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
}

type FetchBody = NonNullable<RequestInit['body']>;

/** @throws ValidationError for a body that is no JSON */
function bodyOf({ body, content }: Request): FetchBody | null {
  if (content !== undefined) return content as FetchBody;
  if (body === undefined) return null;
  const read = toJson(body, '');
  if (read.ok) return JSON.stringify(read.value);
  const message = `The request is not JSON, and was not sent: ${read.problem}`;
  throw new ValidationError(message, { code: 'not_json' });
}
