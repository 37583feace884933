import type { FunctionRef } from '../function-ref.ts';
import type { Labels } from '../worker/labels.ts';
import type { Logger } from '../worker/logger.ts';
import type { Duration } from '../duration.ts';
import type { ModelUsage } from './model-usage.ts';
import type { StepRetry } from './retry.ts';

/** The context that the code of a step or of a rollback gets. */
export interface StepContext {
  /**
   * The same for every run of this step of this execution, also after a crash. Pass it to every system
   * that the step changes.
   */
  readonly idempotencyKey: string;
  /** Aborts when the result is of no use: time-out, lost lease, cancelled, lost race. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
  /**
   * Reports the use of a model. It is recorded with the step and counts towards the budgets of the
   * workflow. All reports of a step add up, those of failed attempts too; the usage of an attempt that
   * is cut off is lost. Report the usage of different models with its cost, or in steps of their own.
   */
  readonly reportUsage: (usage: ModelUsage) => void;
}

export interface StepOptions {
  /** Default: 5 attempts, from 500 ms on, doubled up to 5 min. */
  readonly retry?: StepRetry;
  /** Longest time of one attempt; a step that takes longer fails with the class `TimeoutError`. */
  readonly timeout?: Duration;
  /**
   * `each` (default): recorded before the function continues. `end`: recorded with the next entry that
   * must be, or with the result; for steps that are cheap and safe to repeat.
   */
  readonly durability?: 'each' | 'end';
}

export interface ApprovalDecision {
  readonly approved: boolean;
  readonly decidedBy: string | null;
  readonly comment: string | null;
}

/** A branch of `ctx.all` and `ctx.race`; a function gets names of its own, a promise does not. */
export type Branch<Result> = Promise<Result> | ((ctx: FunctionContext) => Promise<Result>);

/** `Input` is the input of the function, which `continueAsNew` takes. */
export interface FunctionContext<Input = unknown> {
  readonly executionId: string;
  readonly nodeId: string;
  /** Counts claims of the item, from 0: each suspension begins another turn. */
  readonly turn: number;
  /** Counts failures and lost leases, from 0. */
  readonly attempt: number;
  /** Names this visit of the node; the same in each turn and attempt. */
  readonly idempotencyKey: string;
  /** W3C trace context, when the runtime traces. */
  readonly traceparent: string | null;
  /** Aborts when the execution is cancelled, the lease is lost or the worker stops. */
  readonly signal: AbortSignal;
  /** Writes nothing during a replay. */
  readonly logger: Logger;

  /**
   * Runs `run` once and records its result as JSON. A replay returns the recorded result.
   * @throws StepError after the last attempt; at once, with the class `SerializationError`, when the
   * result is no JSON
   */
  step<Result>(
    name: string,
    run: (step: StepContext) => Result | Promise<Result>,
    options?: StepOptions,
  ): Promise<Result>;

  /** Suspends for a time. */
  sleep(duration: Duration): Promise<void>;
  sleep(name: string, duration: Duration): Promise<void>;
  /** Suspends until a time: a Date, or milliseconds since 1970. */
  sleepUntil(time: Date | number): Promise<void>;
  sleepUntil(name: string, time: Date | number): Promise<void>;

  /**
   * Waits for an external event with the correlation key (default: the name) and gives its payload,
   * also when the event came first.
   * @throws WaitTimeoutError after `timeout`
   */
  waitForEvent<Payload = unknown>(
    name: string,
    options?: { readonly key?: string; readonly timeout?: Duration },
  ): Promise<Payload>;

  /**
   * Asks people for a decision; a refusal is an answer, not an error.
   * @throws WaitTimeoutError after `timeout`
   */
  approval(
    name: string,
    options?: {
      readonly description?: string;
      readonly context?: unknown;
      readonly timeout?: Duration;
    },
  ): Promise<ApprovalDecision>;

  /**
   * Starts a child execution. Gives the output of a function made by `defineFunction`, and the final
   * state of any other workflow.
   * @throws ChildError when it fails or is cancelled
   */
  call<Input extends object, Output>(
    target: FunctionRef<Input, Output>,
    input: Input,
    options?: ChildOptions,
  ): Promise<Output>;
  call<Output = unknown>(target: string, input: object, options?: ChildOptions): Promise<Output>;

  /** As `Promise.all`. Functions run as branches, whose names are their own. */
  all<const Branches extends readonly Branch<unknown>[]>(
    branches: Branches,
  ): Promise<{ -readonly [Index in keyof Branches]: Settled<Branches[Index]> }>;

  /** As `Promise.race`. Branches that are functions stop when another wins. */
  race<const Branches extends readonly Branch<unknown>[]>(
    branches: Branches,
  ): Promise<Settled<Branches[number]>>;

  /** Runs `run` for each item, `concurrency` (default 10) at a time; gives the results in order. */
  map<Item, Result>(
    items: readonly Item[],
    run: (item: Item, index: number) => Promise<Result>,
    options?: { readonly name?: string; readonly concurrency?: number },
  ): Promise<Result[]>;

  /** Milliseconds since 1970, recorded. */
  now(): number;
  /** From 0 to below 1, the same in each replay. */
  random(): number;
  /** The same in each replay. */
  uuid(): string;

  /**
   * The version of a change that this execution began with: `version` when it comes here first, and 0
   * when it came here before the change was in the code.
   */
  version(change: string, version: number): number;

  /**
   * Sets labels of the execution, to find it by. They are recorded with the next entry or wait, or with
   * the end of the function, and stay when it fails. Later calls replace labels of the same names.
   *
   * @throws NonRetryableError for more than 16 labels, and for names or values that no label can have
   */
  setLabels(labels: Labels): void;

  /**
   * Registers how to undo what comes next. If the function fails or is cancelled, the registered
   * rollbacks run in reverse order. Register before the step: a crash may come between the two, so
   * `run` must accept that nothing has happened.
   */
  onRollback(name: string, run: (step: StepContext) => unknown): void;

  /**
   * Ends this visit of the function and begins another one, with this input and an empty journal. Write
   * `return ctx.continueAsNew(state)`: it throws a signal, and code that catches the signal fails
   * permanently. Steps under way end first; open waits and their children end with the visit.
   * @throws ContinueAsNewError when rollbacks are registered: do such work in a child, with `call`
   */
  continueAsNew(input: Input): never;
}

export interface ChildOptions {
  /** The name in the journal. Default: the name of the target. */
  readonly name?: string;
  /** The version of the workflow. Default: the current one. */
  readonly version?: string;
}

export type Settled<Given> =
  Given extends Promise<infer Result>
    ? Result
    : Given extends (ctx: FunctionContext) => Promise<infer Result>
      ? Result
      : never;
