import {
  createJsonLogger,
  createWorker,
  defineFunction,
  defineTool,
  type Worker,
  type WorkerOptions,
} from 'svc-sdk/worker';

import { send } from '../../sdk/typescript/src/http/lean-fetch.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createItemTimes, type ItemTime } from './hand-offs.ts';
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
  /** Returns the items completed since the last call. */
  readonly takeTimes: () => readonly ItemTime[];
}

/** Creates a worker without starting it. It logs only warnings, as the peers do. */
export function createMeasuredWorker(
  { as, steps }: ServedSteps,
  options: Pick<WorkerOptions, 'url' | 'token' | 'fetch' | 'workerId' | 'concurrency'>,
): MeasuredWorker {
  const times = createItemTimes();
  const tool = defineTool('bench.noop', (_, { workItemId, executionId }) => {
    times.claimed(workItemId, executionId);
    return {};
  });
  const served = defineFunction(SERVED_WORKFLOW, async (ctx) => {
    for (let step = 0; step < steps; step += 1) await ctx.step(`step${step}`, () => ({}));
  });
  const worker = createWorker({
    ...options,
    ...(as === 'tools' ? { tools: [tool] } : { functions: [served] }),
    fetch: times.watch(options.fetch ?? send),
    logger: createJsonLogger({ level: 'warn' }),
  });
  return { worker, takeTimes: times.take };
}
