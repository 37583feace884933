import { toJson } from '../to-json.ts';

/**
 * Thrown by a tool, a step or a function: no attempt follows. A function fails at once; for a tool,
 * `NonRetryableError` is the class of the error, which the retry policy of the node names in
 * `non_retryable_on`.
 */
export class NonRetryableError extends Error {
  override readonly name: string = 'NonRetryableError';
}

/** A value that is no JSON is recorded or sent: the message names its place. No attempt follows. */
export class SerializationError extends NonRetryableError {
  override readonly name = 'SerializationError';
}

/**
 * Copies a value as a reader of its JSON gets it. `name` begins the path, `what` the message.
 * @throws SerializationError
 */
export function requireJson(
  value: unknown,
  given: { readonly name: string; readonly what: string },
): unknown {
  const read = toJson(value, given.name);
  if (read.ok) return read.value;
  throw new SerializationError(`${given.what} is not JSON: ${read.problem}`);
}

/** The worker no longer holds the item: its lease expired, or its execution ended. */
export class LeaseLostError extends Error {
  override readonly name: string = 'LeaseLostError';
}

/** Somebody asked for the execution to be cancelled. */
export class CancelledError extends Error {
  override readonly name: string = 'CancelledError';
}

/** The worker stops, and the time for its work is up. */
export class ShutdownError extends Error {
  override readonly name: string = 'ShutdownError';
}

/** The runtime refuses the worker: a wrong token, role or request. Repeating it changes nothing. */
export class WorkerRefusedError extends Error {
  override readonly name: string = 'WorkerRefusedError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The field of a log line that says where in the code a value was thrown, with the chain of its causes. */
export function stackOf(thrown: unknown): { readonly stack?: string } {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return {};
  const causes = causesOf(thrown).map((cause) => `\nCaused by: ${textOf(cause)}`);
  return { stack: thrown.stack + causes.join('') };
}

const CAUSES_MAX = 20;
/** A cause that is no error may be a whole request, which is cut. */
const CAUSE_LENGTH_MAX = 2_000;

/** An error may be its own cause, through others. */
function causesOf(error: Error): readonly unknown[] {
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause !== undefined && cause !== null && !seen.has(cause);) {
    if (seen.size > CAUSES_MAX) break;
    seen.add(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return [...seen].slice(1);
}

function textOf(cause: unknown): string {
  if (cause instanceof Error) return cause.stack ?? `${cause.name}: ${cause.message}`;
  if (typeof cause === 'string') return cause;
  const read = toJson(cause, 'cause');
  return read.ok ? JSON.stringify(read.value).slice(0, CAUSE_LENGTH_MAX) : read.problem;
}

/** The message and class that the runtime records for a thrown value. */
export function describeError(thrown: unknown): {
  readonly message: string;
  readonly errorClass: string;
} {
  if (!(thrown instanceof Error)) return { message: String(thrown), errorClass: 'Error' };
  const own = 'errorClass' in thrown ? thrown.errorClass : null;
  return {
    message: thrown.message || thrown.name,
    errorClass: typeof own === 'string' ? own : thrown.name || 'Error',
  };
}
