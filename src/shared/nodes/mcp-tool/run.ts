import type { NodeRunner } from '../run.ts';
import { callTool } from '../tool/call-tool.ts';
import type { ToolRunnerDeps } from '../tool/run.ts';
import type { McpToolSpec } from './spec.ts';

/** Calls the tool of an MCP server that the node names. */
export function createMcpToolRunner({ tools }: ToolRunnerDeps): NodeRunner<McpToolSpec> {
  return { run: (call) => callTool(tools, call.spec.tool, call) };
}
