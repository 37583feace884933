/** Facts that every error of the SDK has. */
export interface ErrorFacts {
  /** Stable, for programs: `not_found`, `limit_exceeded`, `timeout`, … */
  readonly code: string;
  /** HTTP status; null: there was no answer. */
  readonly status?: number | null;
  /** Body of the answer, as it was sent. */
  readonly body?: unknown;
  /** `X-Request-Id` of the answer: the log of the service has it too. */
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** Base of all errors that the SDK throws. Its message says what to do next. */
export class SvcError extends Error {
  override readonly name: string = 'SvcError';
  readonly code: string;
  readonly status: number | null;
  readonly body: unknown;
  readonly requestId: string | null;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.body = facts.body ?? null;
    this.requestId = facts.requestId ?? null;
  }
}

/**
 * 400, 413, 415, 422: the request is wrong, and is refused however often it is sent. With the code
 * `not_json` it was not sent: JSON cannot hold it, and the message names the place.
 */
export class ValidationError extends SvcError {
  override readonly name = 'ValidationError';
}

/** 401: there is no token, or the service does not accept it. */
export class AuthenticationError extends SvcError {
  override readonly name = 'AuthenticationError';
}

/** 403: the token's role, or the state of the tenant, does not allow it. */
export class PermissionError extends SvcError {
  override readonly name = 'PermissionError';
}

/** 404: there is no such thing in this tenant. */
export class NotFoundError extends SvcError {
  override readonly name = 'NotFoundError';
}

/** 409: the request contradicts the current state. */
export class ConflictError extends SvcError {
  override readonly name = 'ConflictError';
}

/** Base of the errors whose answer may carry `Retry-After`. */
export abstract class RetryAfterError extends SvcError {
  /** The wait that the service asks for; null: it names none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, facts: ErrorFacts & { readonly retryAfterMs: number | null }) {
    super(message, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** 402 and 429: a limit is reached. */
export class LimitError extends RetryAfterError {
  override readonly name = 'LimitError';
}

/** 408, 502, 503, 504: the service cannot answer now. Whether a change took effect is not known. */
export class UnavailableError extends RetryAfterError {
  override readonly name = 'UnavailableError';
}

/** No connection, a broken one, or something else than svc at the address. */
export class ConnectionError extends SvcError {
  override readonly name = 'ConnectionError';
  /** True: the request has not reached anybody, so that it is safe to send it again. */
  readonly neverSent: boolean;

  constructor(message: string, facts: ErrorFacts & { readonly neverSent: boolean }) {
    super(message, facts);
    this.neverSent = facts.neverSent;
  }
}

/** The time that the caller gave is over. An execution continues. */
export class TimeoutError extends SvcError {
  override readonly name = 'TimeoutError';
  /** The execution that has not ended in time; null: a request had no answer in time. */
  readonly executionId: string | null;

  constructor(message: string, facts: { readonly executionId?: string; readonly cause?: unknown }) {
    super(message, { code: 'timeout', cause: facts.cause });
    this.executionId = facts.executionId ?? null;
  }
}

/** The execution whose result was asked for has failed. */
export class ExecutionFailedError extends SvcError {
  override readonly name = 'ExecutionFailedError';
  readonly executionId: string;
  /** Class of the failure, such as `timeout`. */
  readonly errorClass: string;
  /** The node that failed; null: none did. */
  readonly nodeId: string | null;

  constructor(
    message: string,
    facts: {
      readonly executionId: string;
      readonly errorClass: string;
      readonly nodeId: string | null;
    },
  ) {
    super(message, { code: 'execution_failed' });
    this.executionId = facts.executionId;
    this.errorClass = facts.errorClass;
    this.nodeId = facts.nodeId;
  }
}

/** The execution whose result was asked for was cancelled. */
export class ExecutionCancelledError extends SvcError {
  override readonly name = 'ExecutionCancelledError';
  readonly executionId: string;

  constructor(message: string, facts: { readonly executionId: string }) {
    super(message, { code: 'execution_cancelled' });
    this.executionId = facts.executionId;
  }
}
