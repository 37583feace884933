import { callTool, type ToolDeps } from './call-tool.ts';
import type { McpToolSpec } from '../mcp-tool/kind.ts';
import type { NodeRunner } from '../run.ts';
import type { ToolSpec } from './kind.ts';

/** Runs `tool` nodes whose tools the engine calls; those of workers never come here. */
export function createToolRunner(deps: ToolDeps): NodeRunner {
  return {
    async run(call) {
      const { does } = call.spec as ToolSpec;
      if (does.kind === 'call') return callTool(deps, does.tool, call);
      const error = `${does.module}.${does.function} is called by workers`;
      return { ok: false, error, errorClass: 'unsupported', final: true };
    },
  };
}

export function createMcpToolRunner(deps: ToolDeps): NodeRunner {
  return { run: (call) => callTool(deps, (call.spec as McpToolSpec).tool, call) };
}
