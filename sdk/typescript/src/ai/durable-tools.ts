import type { Duration } from '../duration.ts';
import type { FunctionContext, StepContext, StepOptions } from '../functions/context.ts';
import { linkAbort } from '../link-abort.ts';
import { approveCall, deniedOutput, isDenied, modelOutput } from './approve-call.ts';
import { attemptError, callError, ToolRejectedError } from './errors.ts';

/** The options of a tool call that this module reads. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The code of a tool. Tools may ask for more of their arguments than this module knows. */
export interface ToolMethods {
  execute(input: unknown, call: ToolCall): unknown;
  needsApproval(input: unknown, call: ToolCall): boolean | PromiseLike<boolean>;
  toModelOutput(given: {
    readonly toolCallId: string;
    readonly input: unknown;
    readonly output: unknown;
  }): unknown;
}

/** A tool of the AI SDK, of version 6 or 7. */
export interface ToolLike {
  readonly execute?: ToolMethods['execute'] | undefined;
  readonly needsApproval?: boolean | ToolMethods['needsApproval'] | undefined;
  readonly toModelOutput?: ToolMethods['toModelOutput'] | undefined;
}

/** The call that a rule about approvals judges. */
export interface ToolRequest<Name extends string = string> {
  readonly toolName: Name;
  readonly input: unknown;
}

export interface DurableToolsOptions<Name extends string = string> {
  /**
   * The tools that wait for an approval: names, or a rule that depends on nothing but its argument. Tools
   * with `needsApproval` wait too.
   */
  readonly approve?: readonly Name[] | ((request: ToolRequest<Name>) => boolean);
  /** After that time without a decision the call is rejected. Default: it waits without end. */
  readonly approvalTimeout?: Duration;
  /**
   * The answer of a rejected call: `result` (default) is a result that tells the model, `error` is a
   * ToolRejectedError, which the AI SDK reports as a tool error.
   */
  readonly onRejection?: 'result' | 'error';
  /** Retries and time limit of the steps, for all tools or for each. */
  readonly step?: StepOptions | ((toolName: Name) => StepOptions);
}

/**
 * Gives the same tools, whose calls are steps of the function, named after the tool: `refund`, then
 * `refund#2`. A call that needs an approval first waits as `approve refund`, with `tool` and `input` as
 * the context. A tool returns JSON; of a tool that yields, the last value counts. Tools without `execute`
 * stay as they are.
 *
 * The code of a tool must not use `ctx`: leave out tools that do, and give them to the agent unwrapped.
 */
export function durableTools<Tools extends Readonly<Record<string, ToolLike>>>(
  ctx: FunctionContext,
  tools: Tools,
  options: DurableToolsOptions<keyof Tools & string> = {},
): Tools {
  const durable = Object.entries(tools).map(([toolName, tool]): [string, ToolLike] => {
    const { execute } = tool;
    if (execute === undefined) return [toolName, tool];
    return [toolName, wrapTool({ ctx, options, toolName, tool, execute })];
  });
  // The same tools with other code.
  return Object.fromEntries(durable) as Tools;
}

interface Wrapped {
  readonly ctx: FunctionContext;
  readonly options: DurableToolsOptions;
  readonly toolName: string;
  readonly tool: ToolLike;
  readonly execute: ToolMethods['execute'];
}

function wrapTool(wrapped: Wrapped): ToolLike {
  const { ctx, options, toolName, tool } = wrapped;
  // Left in its place, the AI SDK would end its loop with a request of its own.
  const { needsApproval: _taken, ...others } = tool;
  const name = toolName.replaceAll(/[#/[\]]/g, '_');
  const stepOptions = typeof options.step === 'function' ? options.step(toolName) : options.step;
  const run = async (input: unknown, call: ToolCall): Promise<unknown> => {
    const rejection = await approveCall({ ctx, options, tool, name, toolName, input, call });
    if (rejection !== null) {
      if (options.onRejection === 'error') throw new ToolRejectedError(toolName, rejection);
      return deniedOutput(rejection);
    }
    try {
      return await ctx.step(name, (step) => runTool(wrapped, { step, input, call }), stepOptions);
    } catch (error) {
      throw callError(error);
    }
  };
  return {
    ...others,
    execute: run,
    toModelOutput: (given) => (isDenied(given.output) ? given.output : modelOutput(tool, given)),
  };
}

const steps = new WeakMap<object, StepContext>();

/**
 * The step that a tool runs in, by the second argument of `execute`: for the idempotency key.
 * @throws TypeError when the tool doesn't run as a step
 */
export function stepOf(call: object): StepContext {
  const step = steps.get(call);
  if (step === undefined) throw new TypeError('the tool does not run as a step');
  return step;
}

async function runTool(
  { tool, execute }: Wrapped,
  given: { readonly step: StepContext; readonly input: unknown; readonly call: ToolCall },
): Promise<unknown> {
  const { step, input, call } = given;
  const link = linkAbort([step.signal, call.abortSignal]);
  const own = { ...call, abortSignal: link.signal };
  steps.set(own, step);
  try {
    return await lastOf(execute.call(tool, input, own));
  } catch (error) {
    throw attemptError(error, call.abortSignal);
  } finally {
    link.unlink();
  }
}

/** The result of a tool that yields is the value that it yields last. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !isIterable(result)) return result;
  let last: unknown = null;
  for await (const value of result) last = value;
  return last;
}

function isIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}
