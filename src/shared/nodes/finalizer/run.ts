import type { NodeRunner } from '../run.ts';
import { createToolRunner, type ToolRunnerDeps } from '../tool/run.ts';
import type { FinalizerSpec } from './spec.ts';

/** Runs the tools of `finalizer` nodes as `tool` nodes run theirs. */
export function createFinalizerRunner(deps: ToolRunnerDeps): NodeRunner<FinalizerSpec> {
  const tools = createToolRunner(deps);
  return { run: (call) => tools.run({ ...call, spec: call.spec.tool }) };
}
