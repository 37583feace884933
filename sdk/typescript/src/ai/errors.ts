import { StepError } from '../functions/errors.ts';
import { describeError, NonRetryableError } from '../worker/errors.ts';

/** People rejected a tool call, or nobody decided in time. */
export class ToolRejectedError extends Error {
  override readonly name: string = 'ToolRejectedError';
  readonly toolName: string;

  constructor(toolName: string, reason: string) {
    super(reason);
    this.toolName = toolName;
  }
}

/** Another attempt would come to the same. Keeps the class of the error. */
class PermanentError extends NonRetryableError {
  readonly errorClass: string;

  constructor(error: unknown, errorClass: string) {
    super(describeError(error).message, { cause: error });
    this.errorClass = errorClass;
  }
}

/** Errors of the AI SDK that say nothing about retries, and that only a change of the code solves. */
const PERMANENT: ReadonlySet<string> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_UnsupportedFunctionalityError',
]);

/** Gives the error that tells the step whether to retry. `signal` is the one of the caller. */
export function attemptError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return new PermanentError(error, 'AbortError');
  const { errorClass } = describeError(error);
  const isPermanent =
    PERMANENT.has(errorClass) ||
    (error instanceof Error && 'isRetryable' in error && error.isRetryable === false);
  return isPermanent ? new PermanentError(error, errorClass) : error;
}

/** The AI SDK knows an abort by the name of the error. */
export function callError(error: unknown): unknown {
  if (!(error instanceof StepError) || error.errorClass !== 'AbortError') return error;
  const aborted = new Error(error.message, { cause: error });
  aborted.name = 'AbortError';
  return aborted;
}
