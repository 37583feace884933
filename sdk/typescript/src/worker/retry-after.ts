import { toMs, type Duration } from '../duration.ts';
import { describeError } from './errors.ts';

/** The runtime takes no longer wait. */
const WAIT_MS_MAX = 30 * 86_400_000;

/**
 * Thrown by a tool, a step or a function: the next attempt begins after a duration, or at a time, and
 * no earlier. It replaces the back-off of the retry policy and counts as a failed attempt. A wait of
 * more than 30 days counts as 30 days.
 *
 * The message and the class default to those of `cause`, so that a retry policy can name its class.
 */
export class RetryAfter extends Error {
  override readonly name: string = 'RetryAfter';
  readonly errorClass: string;
  readonly #wait: number | Date;

  /** @throws RangeError for what is no duration and no time */
  constructor(
    wait: Duration | Date,
    options: { readonly cause?: unknown; readonly message?: string } = {},
  ) {
    const { cause } = options;
    const described = cause === undefined ? null : describeError(cause);
    super(options.message ?? described?.message ?? 'try again later', { cause });
    this.errorClass = described?.errorClass ?? 'RetryAfter';
    this.#wait = wait instanceof Date ? wait : toMs(wait, 'the wait');
    if (wait instanceof Date && Number.isNaN(wait.getTime())) {
      throw new RangeError('the time of the next attempt is no valid date');
    }
  }

  /** Milliseconds from `nowMs` until the next attempt. */
  delayMs(nowMs: number): number {
    const ms = this.#wait instanceof Date ? this.#wait.getTime() - nowMs : this.#wait;
    return Math.ceil(Math.min(Math.max(0, ms), WAIT_MS_MAX));
  }
}

/** Null: the error says nothing about when to try again. */
export function retryAfterOf(error: unknown, nowMs: number): number | null {
  return error instanceof RetryAfter ? error.delayMs(nowMs) : null;
}
