import { HttpError, type HttpErrorCode } from '../../domain/http-error.ts';
import { AuthorizationError } from '../authorized-fetch.ts';
import { ConnectionLost, TooManySessions } from './sessions.ts';

/** A failure with our own message: messages of servers and of the SDK may quote anything. */
export interface Failure {
  /** Follows the server's name; `TOOL` is replaced by the tool. */
  readonly what: string;
  readonly errorClass: string;
  readonly final?: boolean;
  readonly retryAfterMs?: number;
  readonly sessionIsGone: boolean;
  /** The server has not taken the call. */
  readonly nothingWasDone: boolean;
}

/**
 * Classifies any error. It recognizes the SDK's errors by their codes, which are part of its
 * interface, and not by their classes, because the SDK is loaded on demand.
 */
export function describeFailure(
  error: unknown,
  { when }: { readonly when: 'connecting' | 'calling' },
): Failure {
  const chain = causesOf(error);
  const http = chain.find((one) => one instanceof HttpError);
  if (http !== undefined) {
    const known = HTTP[http.code];
    const what = known.what + http.advice;
    return { ...known, what, sessionIsGone: true, nothingWasDone: false };
  }
  const authorization = chain.find((one) => one instanceof AuthorizationError);
  if (authorization !== undefined) {
    const { message, isFinal } = authorization;
    const what = `cannot be logged in to: ${message}`;
    return fail(what, 'unauthorized', { final: isFinal });
  }
  if (error instanceof TooManySessions) {
    const what = 'is not connected to: too many sessions are in use';
    return fail(what, 'error', { retryAfterMs: 1000 });
  }
  if (error instanceof ConnectionLost) return fail('closed the connection', 'unreachable');
  const status = chain.map(statusOf).find((found) => found !== null) ?? null;
  if (status !== null) return describeStatus(status, when);
  const code = chain.map(codeOf).find((found) => found !== null) ?? null;
  return (
    (typeof code === 'number' ? describeProtocolError(code) : describeSdkError(code)) ??
    fail(when === 'connecting' ? 'cannot be connected to' : 'failed', 'unreachable')
  );
}

function describeStatus(status: number, when: 'connecting' | 'calling'): Failure {
  const what = `answered ${status}`;
  // The protocol's way to say that a session is unknown, which servers say before they do anything.
  if (status === 404) {
    return fail(what, 'http_4xx', { nothingWasDone: true, final: when === 'connecting' });
  }
  if (status === 401 || status === 403) return fail(what, 'unauthorized', { final: true });
  if (status === 429) return fail(what, 'rate_limited', { retryAfterMs: 1000 });
  if (status >= 500) return fail(what, 'http_5xx');
  const final = status !== 408 && status !== 425;
  return fail(what, status >= 400 ? 'http_4xx' : 'invalid_response', { final });
}

/** JSON-RPC. */
function describeProtocolError(code: number): Failure {
  const kept = { sessionIsGone: false };
  switch (code) {
    case -32602:
      return fail('refused the arguments of TOOL, or has no such tool', 'invalid_input', {
        ...kept,
        final: true,
      });
    case -32601:
      return fail('has no tools', 'unsupported', { ...kept, final: true });
    case -32021:
    case -32042:
      return fail('asks for what is not offered to it', 'unsupported', { ...kept, final: true });
    case -32022:
      return fail('speaks another revision of the protocol', 'unsupported', { final: true });
    default:
      return fail(`failed with code ${code}`, 'tool_error', kept);
  }
}

function describeSdkError(code: string | null): Failure | null {
  switch (code) {
    case 'REQUEST_TIMEOUT':
      // The session may be broken, so the next call uses another.
      return fail('did not answer in time', 'timeout');
    case 'NOT_CONNECTED':
      return fail('is not connected', 'unreachable', { nothingWasDone: true });
    case 'CONNECTION_CLOSED':
      return fail('closed the connection', 'unreachable');
    case 'INVALID_RESULT':
    case 'CLIENT_HTTP_UNEXPECTED_CONTENT':
    // A connection error would have been among the causes.
    case 'ERA_NEGOTIATION_FAILED':
      return fail('answered with what is not of the protocol', 'invalid_response');
    case 'CAPABILITY_NOT_SUPPORTED':
      return fail('has no tools', 'unsupported', { final: true });
    case 'UNSUPPORTED_RESULT_TYPE':
    case 'INPUT_REQUIRED_ROUNDS_EXCEEDED':
      return fail('asks for what is not offered to it', 'unsupported', { final: true });
    case 'ENOENT':
    case 'EACCES':
      return fail('cannot be started: its command does not exist', 'unreachable');
    default:
      return null;
  }
}

function fail(what: string, errorClass: string, more: Partial<Failure> = {}): Failure {
  return { what, errorClass, sessionIsGone: true, nothingWasDone: false, ...more };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
  return chain;
}

function statusOf(error: Error): number | null {
  const data: unknown = 'data' in error ? error.data : null;
  if (typeof data !== 'object' || data === null || !('status' in data)) return null;
  return typeof data.status === 'number' ? data.status : null;
}

function codeOf(error: Error): string | number | null {
  const code: unknown = 'code' in error ? error.code : null;
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

const HTTP: Readonly<
  Record<HttpErrorCode, Pick<Failure, 'what' | 'errorClass'> & { readonly final?: true }>
> = {
  bad_url: {
    what: 'has an address that cannot be called',
    errorClass: 'invalid_input',
    final: true,
  },
  refused_address: {
    what: 'is at an address that may not be reached from here',
    errorClass: 'refused_address',
    final: true,
  },
  refused_redirect: {
    what: 'redirects to another origin, which is not followed',
    errorClass: 'refused_address',
    final: true,
  },
  unreachable: { what: 'cannot be reached', errorClass: 'unreachable' },
  timed_out: { what: 'did not answer in time', errorClass: 'timeout' },
  too_large: { what: 'answers with more than is taken', errorClass: 'too_large', final: true },
  encoded: { what: 'answers with a compressed body', errorClass: 'invalid_response', final: true },
  too_many_redirects: { what: 'redirects too often', errorClass: 'invalid_response', final: true },
  aborted: { what: 'was not waited for', errorClass: 'error' },
};
