import type { JsonValue } from '../../domain/json.ts';
import { findKeepProblem } from '../../domain/keepable-json.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import { callHttpTool } from './call-http-tool.ts';
import { callMcpTool } from './call-mcp-tool.ts';
import type { ToolCall, ToolDeps, ToolOutcome } from './tool-call.ts';

/**
 * Calls a tool once: its input is checked, its answer read, bounded and checked. Nodes call tools
 * through this.
 */
export async function callTool(
  deps: ToolDeps,
  tool: CallableTool,
  call: ToolCall,
): Promise<ToolOutcome> {
  const refused = await refuseInput(deps, tool, call);
  if (refused !== null) return refused;
  const { target } = tool;
  const outcome =
    target.kind === 'http'
      ? await callHttpTool(deps, { http: target.http, name: tool.name, call })
      : await callMcpTool(deps, { target, name: tool.name, call });
  if (!outcome.ok) return outcome;
  const problem = findKeepProblem(outcome.output);
  if (problem !== null) return invalidAnswer(tool, `its answer holds ${problem}`);
  return (await refuseOutput(deps, { tool, call, output: outcome.output })) ?? outcome;
}

async function refuseInput(
  { cpu }: ToolDeps,
  { name, inputSchema: schema }: CallableTool,
  call: ToolCall,
): Promise<ToolOutcome | null> {
  if (schema === null) return null;
  const violations = await cpu.validateSchema({
    schema,
    value: call.input,
    caller: callerOf(call),
  });
  if (violations.length === 0) return null;
  const error = `${name}: the input does not satisfy its input_schema: ${tellViolations(violations, 'tool').join('; ')}`;
  return { ok: false, error, errorClass: 'invalid_input', final: true };
}

async function refuseOutput(
  { cpu }: ToolDeps,
  {
    tool,
    call,
    output: value,
  }: { readonly tool: CallableTool; readonly call: ToolCall; readonly output: JsonValue },
): Promise<ToolOutcome | null> {
  for (const schema of tool.outputSchemas) {
    const violations = await cpu.validateSchema({ schema, value, caller: callerOf(call) });
    if (violations.length === 0) continue;
    return invalidAnswer(
      tool,
      `its output does not satisfy its output_schema: ${tellViolations(violations, 'tool').join('; ')}`,
    );
  }
  return null;
}

function callerOf({ tenantId, signal }: ToolCall): CpuCaller {
  return { tenantId, signal, whenBusy: 'waits' };
}

function invalidAnswer({ name }: CallableTool, what: string): ToolOutcome {
  return { ok: false, error: `${name}: ${what}`, errorClass: 'invalid_response' };
}
