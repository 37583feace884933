import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

import type { Activities } from './activities.ts';

const OPTIONS = { startToCloseTimeout: '1 minute' } as const;
const { noop } = proxyActivities<Activities>(OPTIONS);
const local = proxyLocalActivities<Activities>(OPTIONS);

/** Each step is an activity: the server hands it to a worker. */
export async function chain(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await noop();
}

/** Each step is a local activity: it runs in the worker that has the workflow. */
export async function localChain(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await local.noop();
}
