import { NonRetryableError } from '../worker/errors.ts';
import type { Entry, ExceededBudget } from './journal.ts';

/** A step failed after its last attempt. A replay throws the same error. */
export class StepError extends Error {
  override readonly name: string = 'StepError';
  /** The identity of the step, as `charge`. */
  readonly step: string;
  /** The `name` of the error that the last attempt threw. */
  readonly errorClass: string;
  readonly attempts: number;

  constructor(entry: Entry) {
    super(entry.error?.message ?? 'the step failed');
    this.step = entry.identity;
    this.errorClass = entry.error?.class ?? 'Error';
    this.attempts = entry.attempts ?? 1;
  }
}

/** An event or an approval did not come in time. */
export class WaitTimeoutError extends Error {
  override readonly name: string = 'WaitTimeoutError';
  /** The identity of the wait. */
  readonly wait: string;

  constructor(entry: Entry) {
    super(`${entry.identity}: ${entry.error?.message ?? 'nothing came in time'}`);
    this.wait = entry.identity;
  }
}

/** An execution that `ctx.call` started did not complete. */
export class ChildError extends Error {
  override readonly name: string = 'ChildError';
  /** The identity of the call. */
  readonly call: string;
  /** `child_failed` or `child_cancelled`. */
  readonly errorClass: string;

  constructor(entry: Entry) {
    super(entry.error?.message ?? 'the child execution failed');
    this.call = entry.identity;
    this.errorClass = entry.error?.class ?? 'child_failed';
  }
}

/**
 * The code asks for other things than the journal has: it changed while the execution was under way,
 * or it depends on something besides its input and its entries.
 */
export class NonDeterminismError extends Error {
  override readonly name: string = 'NonDeterminismError';
  /** The entry that the journal has, as `step "charge"`. */
  readonly recorded: string;
  /** The entry that the code asked for instead. */
  readonly asked: string;

  constructor(given: { readonly recorded: string; readonly asked: string }) {
    super(
      `The journal has ${given.recorded}, and the code asks for ${given.asked}. ` +
        'Run the code that recorded the journal, or branch with ctx.version().',
    );
    this.recorded = given.recorded;
    this.asked = given.asked;
  }
}

/** A function exceeds a documented limit: entries of a visit, or waits at once. */
export class FunctionLimitError extends Error {
  override readonly name: string = 'FunctionLimitError';
}

/**
 * The function cannot continue as new: rollbacks are registered, or its code caught the signal of
 * `ctx.continueAsNew`.
 */
export class ContinueAsNewError extends NonRetryableError {
  override readonly name: string = 'ContinueAsNewError';
}

/**
 * The steps of the function have used up a budget of its workflow, or of one that it descends from. No
 * further step runs in this turn, and svc allows no further turn. Code that catches the error can still
 * return a result.
 */
export class BudgetExceededError extends NonRetryableError {
  override readonly name: string = 'BudgetExceededError';
  readonly errorClass = 'budget_exceeded';
  /** The execution that owns the budget. */
  readonly account: string;
  /** Tokens used, input and output together. */
  readonly tokens: number;
  /** Null: tokens are not limited, or input and output tokens separately. */
  readonly tokenBudget: number | null;
  readonly costUsd: number;
  /** Null: the cost is not limited. */
  readonly costBudgetUsd: number | null;

  constructor(exceeded: ExceededBudget) {
    super(exceeded.message);
    this.account = exceeded.account;
    this.tokens = exceeded.tokens;
    this.tokenBudget = exceeded.token_budget;
    this.costUsd = exceeded.cost_usd;
    this.costBudgetUsd = exceeded.cost_budget_usd;
  }
}

/** The error that an entry with an error throws in the function. */
export function errorOf(entry: Entry): Error {
  if (entry.kind === 'step') return new StepError(entry);
  if (entry.kind === 'child') return new ChildError(entry);
  return new WaitTimeoutError(entry);
}
