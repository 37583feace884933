import type { FunctionContext } from '../functions/context.ts';
import { WaitTimeoutError } from '../functions/errors.ts';
import type { DurableToolsOptions, ToolCall, ToolLike } from './durable-tools.ts';

interface Call {
  readonly ctx: FunctionContext;
  readonly options: DurableToolsOptions;
  readonly tool: ToolLike;
  /** The name of its step. */
  readonly name: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly call: ToolCall;
}

/** Waits for the approval of a call that needs one. Gives why it may not run; null: it may. */
export async function approveCall(given: Call): Promise<string | null> {
  const { ctx, options, name, toolName, input } = given;
  const needs = needsApproval(given);
  // Only an answer that takes time may let other calls of the same message go first.
  if (!(typeof needs === 'boolean' ? needs : await needs)) return null;
  try {
    const { approvalTimeout } = options;
    const decision = await ctx.approval(`approve ${name}`, {
      description: `The agent asks to call the tool ${toolName}.`,
      context: { tool: toolName, input },
      ...(approvalTimeout !== undefined && { timeout: approvalTimeout }),
    });
    if (decision.approved) return null;
    const comment = decision.comment === null ? '' : `: ${decision.comment}`;
    return `${decision.decidedBy ?? 'Somebody'} rejected the call${comment}`;
  } catch (error) {
    if (error instanceof WaitTimeoutError) return 'Nobody approved the call in time';
    throw error;
  }
}

function needsApproval(given: Call): boolean | Promise<boolean> {
  const { ctx, options, tool, name, toolName, input, call } = given;
  const { approve = [] } = options;
  const isListed =
    typeof approve === 'function' ? approve({ toolName, input }) : approve.includes(toolName);
  const { needsApproval: own = false } = tool;
  if (isListed) return true;
  if (typeof own === 'boolean') return own;
  // The rule of the tool may look things up, so its answer is recorded.
  return ctx.step(`check ${name}`, async () => own.call(tool, input, call), { durability: 'end' });
}

/** A tool result that providers know as a denial. */
export interface DeniedOutput {
  readonly type: 'execution-denied';
  readonly reason: string;
}

export function deniedOutput(reason: string): DeniedOutput {
  return { type: 'execution-denied', reason };
}

export function isDenied(output: unknown): output is DeniedOutput {
  return (
    typeof output === 'object' &&
    output !== null &&
    'type' in output &&
    output.type === 'execution-denied' &&
    'reason' in output &&
    typeof output.reason === 'string'
  );
}

/** The text that the model reads: the tool's own form of it, else that of the AI SDK. */
export function modelOutput(
  tool: ToolLike,
  given: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown },
): unknown {
  if (tool.toModelOutput !== undefined) return tool.toModelOutput(given);
  const { output } = given;
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: output ?? null };
}
