import type { JsonObject } from './json.ts';
import type { LimitName } from './tenant.ts';

/**
 * Every error a caller can meet, in one table: its HTTP status and how its message reads. The
 * message says what is wrong and, where it isn't plain, what to do next. Statuses and forms are
 * those of the interface document, "Errors".
 */
const ERRORS = {
  bad_request: { status: 400, message: (detail: string) => `bad request: ${detail}` },
  unauthorized: { status: 401, message: () => 'invalid or expired token' },
  forbidden: { status: 403, message: (needed: string) => `insufficient role — ${needed} required` },
  foreign_page: { status: 403, message: (detail: string) => `forbidden: ${detail}` },
  tenant_inactive: { status: 403, message: (detail: string) => `tenant ${detail}` },
  tenant_unknown: {
    status: 403,
    message: (tenantId: string) =>
      `tenant ${tenantId} does not exist: an operator of tenant default makes it with POST /tenants`,
  },
  not_found: { status: 404, message: (what: string) => `not found: ${what}` },
  method_not_allowed: { status: 405, message: (detail: string) => `method not allowed: ${detail}` },
  request_timeout: { status: 408, message: (detail: string) => `request timeout: ${detail}` },
  conflict: { status: 409, message: (detail: string) => `conflict: ${detail}` },
  too_large: { status: 413, message: (detail: string) => `payload too large: ${detail}` },
  unsupported_media_type: {
    status: 415,
    message: (detail: string) => `unsupported media type: ${detail}`,
  },
  memory_disabled: { status: 403, message: (detail: string) => `memory is disabled: ${detail}` },
  embedding_key_missing: { status: 400, message: (detail: string) => `bad request: ${detail}` },
  embedding_key_invalid: { status: 400, message: (detail: string) => `bad request: ${detail}` },
  memory_quota_exceeded: {
    status: 402,
    message: (detail: string) => `memory quota exceeded: ${detail}`,
  },
  embedding_rate_limited: { status: 429, message: (detail: string) => `rate limited: ${detail}` },
  embedding_failed: { status: 502, message: (detail: string) => `bad gateway: ${detail}` },
  limit_exceeded: { status: 429, message: (detail: string) => `limit exceeded: ${detail}` },
  internal: { status: 500, message: (detail: string) => `internal error: ${detail}` },
  bad_gateway: { status: 502, message: (detail: string) => `bad gateway: ${detail}` },
  unavailable: { status: 503, message: (detail: string) => `unavailable: ${detail}` },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** An expected error: answered to the caller as `{error}` with its status, never logged as a bug. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Headers of the answer, such as Allow or Retry-After. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields beside `error` in the answer. */
  readonly body: JsonObject | null;

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: JsonObject;
      readonly cause?: unknown;
    } = {},
  ) {
    super(ERRORS[code].message(detail), { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.headers = options.headers ?? {};
    this.body = options.body ?? null;
  }
}

export function badRequest(detail: string, body?: JsonObject): SvcError {
  return new SvcError('bad_request', detail, body === undefined ? {} : { body });
}

/** `what` names kind and id: `execution exec_…`. */
export function notFound(what: string): SvcError {
  return new SvcError('not_found', what);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof SvcError && error.code === 'not_found';
}

/** `more`: fields beside `error`. */
export function conflict(detail: string, more?: JsonObject): SvcError {
  if (more === undefined) return new SvcError('conflict', detail);
  return new SvcError('conflict', detail, { body: more });
}

/** A tenant's limit has been reached. `limit` is its name, `max` what it allows. */
export function limitExceeded(params: {
  readonly limit: LimitName;
  readonly max: number;
  readonly retryAfterSeconds: number;
  readonly detail: string;
}): SvcError {
  const { limit, max, retryAfterSeconds, detail } = params;
  return new SvcError('limit_exceeded', detail, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    body: { limit, max },
  });
}

/** The worker protocol's 409: what it says stands beside `error`, as of every error. */
export function protocolConflict(body: JsonObject & { readonly reason: string }): SvcError {
  return conflict(body.reason, body);
}
