import { findUnknown, type Known } from '../known-options.ts';
import { NonRetryableError } from '../worker/errors.ts';
import type { ChildOptions, FunctionContext, StepOptions } from './context.ts';
import type { StepRetry } from './retry.ts';

/*
 * Calls of a durable function check their options before they take a place in the journal, and throw at
 * once: a promise that nobody awaits would hide the mistake, or end the process.
 */

/** The options at this place of a call. */
type At<Call extends keyof FunctionContext, Index extends number> = NonNullable<
  Parameters<Extract<FunctionContext[Call], (...args: never) => unknown>>[Index]
>;

export type EventOptions = At<'waitForEvent', 1>;
export type ApprovalOptions = At<'approval', 1>;

export const STEP: Known<StepOptions> = { retry: true, timeout: true, durability: true };
export const RETRY: Known<StepRetry> = {
  maxAttempts: true,
  initialInterval: true,
  backoff: true,
  maxInterval: true,
};
export const EVENT: Known<EventOptions> = { key: true, timeout: true };
export const APPROVAL: Known<ApprovalOptions> = {
  description: true,
  context: true,
  timeout: true,
};
export const CHILD: Known<ChildOptions> = { name: true, version: true };
export const MAP: Known<At<'map', 2>> = { name: true, concurrency: true };

/** @throws NonRetryableError for an unknown one: another attempt would make the same call */
export function checkOptions(
  options: object | undefined,
  known: Readonly<Record<string, true>>,
  what: string,
): void {
  const problem = options === undefined ? null : findUnknown(options, known, what);
  if (problem !== null) throw new NonRetryableError(problem);
}
