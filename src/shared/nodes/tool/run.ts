import type { NodeRunner } from '../run.ts';
import { callTool } from './call-tool.ts';
import type { ToolDeps } from './tool-call.ts';
import type { ToolSpec } from './spec.ts';

export interface ToolRunnerDeps {
  readonly tools: ToolDeps;
}

/** Runs `tool` nodes whose tools the engine calls; a tool that workers call never comes here. */
export function createToolRunner({ tools }: ToolRunnerDeps): NodeRunner<ToolSpec> {
  return {
    async run(call) {
      const { does } = call.spec;
      if (does.kind === 'call') return callTool(tools, does.tool, call);
      const error = `${does.module}.${does.function} is called by workers`;
      return { ok: false, error, errorClass: 'unsupported', final: true };
    },
  };
}
