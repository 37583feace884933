import type { FinalizerSpec } from './kind.ts';
import type { NodeRunner } from '../run.ts';

/** Runs `finalizer` nodes as the runner of `tool` nodes would run their tools. */
export function createFinalizerRunner(tools: NodeRunner): NodeRunner {
  return { run: (call) => tools.run({ ...call, spec: (call.spec as FinalizerSpec).tool }) };
}
