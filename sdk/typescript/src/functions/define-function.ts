import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { FunctionRef } from '../function-ref.ts';
import { refuseUnknown, type Known } from '../known-options.ts';
import { dropAbsent } from '../workflow/json.ts';
import { writeOptions, type WorkflowOptions } from '../workflow/options.ts';
import type { Names } from '../workflow/shape.ts';
import type { FunctionContext } from './context.ts';

export interface FunctionOptions<Input, Output> {
  /** A Standard Schema (Zod, Valibot, ArkType …): the function fails on input that it refuses. */
  readonly input?: StandardSchemaV1<unknown, Input>;
  /** Checked before the function completes. */
  readonly output?: StandardSchemaV1<unknown, Output>;
  /** The named queue of the work. Default: the queue of nodes that name none. */
  readonly queue?: string;
  /** The version of the workflow. Default: `1.0.0`. */
  readonly version?: string;
  /**
   * Seconds of wall time for the whole function, suspended or not; the node's `node_timeout_secs`.
   * `countSuspended` says whether the time in which it is suspended counts.
   */
  readonly timeoutSecs?: number;
  /** False: `timeoutSecs` bounds the time in which the function is queued or running. Default: true. */
  readonly countSuspended?: boolean;
  /**
   * True: a run of the function stays with the `buildId` of the worker that began it, so a deploy
   * leaves it alone. Default: false.
   */
  readonly pinned?: boolean;
  /** Retry policy for failures outside steps; as `retry_policy` of a node. */
  readonly retryPolicy?: string | Readonly<Record<string, unknown>>;
  /** Settings of the workflow that a worker registers for the function. */
  readonly workflow?: FunctionWorkflowOptions;
  /**
   * Recorded entries that the code did not ask for when it returns or continues as new: `strict` (default) fails with
   * NonDeterminismError, `warn` logs them.
   */
  readonly determinism?: 'strict' | 'warn';
}

/**
 * Settings of a workflow that concern functions: text for people, budgets, data policies, the history.
 * The others are about nodes that such a workflow does not have.
 */
export type FunctionWorkflowOptions = Pick<
  WorkflowOptions<unknown, Names>,
  | 'name'
  | 'description'
  | 'labels'
  | 'executionLabels'
  | 'concurrency'
  | 'rate'
  | 'debounce'
  | 'batch'
  | 'fairness'
  | 'startAfter'
  | 'startDeadline'
  | 'timeouts'
  | 'dataPolicy'
  | 'policy'
  | 'tokenBudget'
  | 'costBudgetUsd'
  | 'onBudgetExceeded'
  | 'continueAsNew'
  | 'expose'
>;

/** A durable function: give it to a worker, start it by its name, call it from other functions. */
export interface DurableFunction<Input, Output> extends FunctionRef<Input, Output> {
  readonly kind: 'function';
  readonly options: FunctionOptions<Input, Output>;
  run(ctx: FunctionContext<Input>, input: Input): Promise<Output>;
  /** The workflow with one `function` node that a worker registers, under the name of the function. */
  toIR(): FunctionWorkflow;
}

/** A durable function as a worker runs it, with input and output of any type. */
export interface ServedFunction {
  readonly kind: 'function';
  readonly name: string;
  readonly options: Pick<
    FunctionOptions<unknown, unknown>,
    'input' | 'output' | 'determinism' | 'pinned'
  >;
  run(ctx: FunctionContext, input: never): Promise<unknown>;
  toIR(): FunctionWorkflow;
}

export interface FunctionWorkflow {
  readonly workflow_id: string;
  readonly version: string;
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly token_budget?: unknown;
  readonly cost_budget_usd?: number;
  readonly on_budget_exceeded?: string;
}

/** Claims name functions by at most 200 characters. */
const NAME = /^[A-Za-z0-9_.-]{1,200}$/;

/**
 * Defines a durable function. Its code runs again from the start in each turn, and gets the results of
 * its steps from the journal: everything that has an effect or may come out differently belongs in
 * `ctx.step`. Input and output are JSON objects; no output is `{}`. Output that is no JSON fails the
 * function at once, with the class `SerializationError`.
 *
 * @throws TypeError unless the name has 1 to 200 letters, digits, ".", "_" and "-"
 */
export function defineFunction<
  Input extends object = Readonly<Record<string, unknown>>,
  Output extends object | void = object | void,
>(
  name: string,
  run: (ctx: FunctionContext<NoInfer<Input>>, input: Input) => Output | Promise<Output>,
  options: FunctionOptions<Input, Output> = {},
): DurableFunction<Input, Output> {
  if (!NAME.test(name)) {
    throw new TypeError(
      `The name of a function has 1 to 200 letters, digits, ".", "_" and "-": ${JSON.stringify(name)}`,
    );
  }
  refuseUnknown(options, KNOWN, `the function ${name}`);
  return {
    kind: 'function',
    name,
    options,
    run: async (ctx, input) => run(ctx, input),
    toIR: () => writeWorkflow(name, options),
  };
}

const KNOWN: Known<FunctionOptions<unknown, unknown>> = {
  input: true,
  output: true,
  queue: true,
  version: true,
  timeoutSecs: true,
  countSuspended: true,
  pinned: true,
  retryPolicy: true,
  workflow: true,
  determinism: true,
};

function writeWorkflow(
  name: string,
  options: Omit<FunctionOptions<unknown, unknown>, 'input' | 'output'>,
): FunctionWorkflow {
  const { version = '1.0.0', workflow = {}, queue, timeoutSecs, retryPolicy } = options;
  const { countSuspended, pinned } = options;
  const { head, tail } = writeOptions(name, workflow);
  return {
    ...dropAbsent(head),
    workflow_id: name,
    version,
    nodes: {
      run: {
        kind: {
          type: 'function',
          name,
          ...(queue !== undefined && { queue }),
          ...(pinned !== undefined && { pinned }),
          ...(countSuspended !== undefined && { count_suspended: countSuspended }),
        },
        output_key: 'output',
        ...(timeoutSecs !== undefined && { node_timeout_secs: timeoutSecs }),
        ...(retryPolicy !== undefined && { retry_policy: retryPolicy }),
      },
    },
    ...dropAbsent(tail),
  };
}
