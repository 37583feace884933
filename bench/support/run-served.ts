import { setTimeout as rest } from 'node:timers/promises';

import type { SvcClient } from 'svc-sdk/client';

import { after, createLatencies, inLanes, times, warmUpSeconds } from './lanes.ts';
import { SERVED_WORKFLOW, type ServedSteps } from './served-steps.ts';
import type { GivenWorkload, WindowFigures } from './workload.ts';

type Given = Pick<GivenWorkload<ServedSteps & { readonly inFlight: number }>, 'params' | 'seconds'>;

/** Runtime, worker and client compile their code while they serve the first thousands. */
const WARM_UP_SECONDS_MIN = 2;

export async function warmUpServed({ params, seconds }: Given, client: SvcClient): Promise<void> {
  const { inFlight } = params;
  const run = async (): Promise<void> => void (await client.run(SERVED_WORKFLOW, {}));
  await inLanes(inFlight, times(inFlight), run);
  await inLanes(inFlight, after(Math.max(WARM_UP_SECONDS_MIN, warmUpSeconds(seconds))), run);
}

/** Starts executions and waits for their ends, `inFlight` at a time, until the window ends. */
export async function runServed(
  { params, seconds }: Given,
  client: SvcClient,
): Promise<WindowFigures> {
  const latencies = createLatencies();
  const run = (): Promise<unknown> => client.run(SERVED_WORKFLOW, {});
  await inLanes(params.inFlight, after(seconds), () => latencies.time(run));
  const executions = latencies.all().length;
  return { units: executions * params.steps, executions, ...latencies.summary() };
}

/**
 * Starts this many executions a second until the window ends, each at its time. `isWaitedFor`: a caller
 * waits for the result of each.
 */
export async function runPaced(
  { params, seconds }: Given,
  client: SvcClient,
  {
    perSecond,
    isWaitedFor,
    callers,
  }: {
    readonly perSecond: number;
    readonly isWaitedFor: boolean;
    /** Gets the promise of each caller, which the last ones fulfil after the window. */
    readonly callers: Promise<void>[];
  },
): Promise<WindowFigures> {
  const latencies = createLatencies();
  const run = (): Promise<unknown> =>
    isWaitedFor ? client.run(SERVED_WORKFLOW, {}) : client.start(SERVED_WORKFLOW, {});
  const count = Math.floor(seconds * perSecond);
  const began = performance.now();
  for (let started = 0; started < count; started += 1) {
    const dueMs = began + (started / perSecond) * 1_000 - performance.now();
    if (dueMs > 0) await rest(dueMs);
    callers.push(latencies.time(run));
  }
  return { units: count * params.steps, executions: count, ...latencies.summary() };
}
