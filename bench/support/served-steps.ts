import {
  createJsonLogger,
  createWorker,
  defineFunction,
  defineTool,
  type Worker,
  type WorkerOptions,
} from 'svc-sdk/worker';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createStepTimes, type StepTime } from './hand-offs.ts';
import { chainOf } from './noop-kind.ts';

/*
 * The steps of workloads W, and the worker of the SDK that serves them. A step does nothing, so the
 * benchmark measures the runtime and the SDK.
 */

export interface ServedSteps {
  /** Nodes of a graph, or steps of a durable function. */
  readonly as: 'tools' | 'function';
  readonly steps: number;
}

/** The workflow that clients start; a worker registers a function under the same name. */
export const SERVED_WORKFLOW = 'served';

const TOOL = { type: 'python_fn', module: 'bench', function: 'noop' };

export function graphOfTools(steps: number): JsonObject {
  return { workflow_id: SERVED_WORKFLOW, ...chainOf(steps, TOOL) };
}

export interface MeasuredWorker {
  readonly worker: Worker;
  /** Returns the steps that ran since the last call. */
  readonly takeTimes: () => readonly StepTime[];
}

/** Creates a worker without starting it. It logs only warnings, as the peers do. */
export function createMeasuredWorker(
  { as, steps }: ServedSteps,
  options: Pick<WorkerOptions, 'url' | 'token' | 'fetch' | 'workerId' | 'concurrency'>,
): MeasuredWorker {
  const times = createStepTimes();
  const run = ({ executionId }: { readonly executionId: string }): JsonObject => {
    times.ran(executionId);
    return {};
  };
  const tool = defineTool('bench.noop', (_, context) => run(context));
  const served = defineFunction(SERVED_WORKFLOW, async (ctx) => {
    for (let step = 0; step < steps; step += 1) await ctx.step(`step${step}`, () => run(ctx));
  });
  const worker = createWorker({
    ...options,
    ...(as === 'tools' ? { tools: [tool] } : { functions: [served] }),
    logger: createJsonLogger({ level: 'warn' }),
  });
  return { worker, takeTimes: times.take };
}
