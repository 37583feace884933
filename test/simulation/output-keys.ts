import type { WorkflowName } from './workflows.ts';

/** Where the outputs of some workflows are, as a reader of their definitions finds them; null: their state. */
export const OUTPUT_KEYS: Readonly<Partial<Record<WorkflowName, string | null>>> = {
  chain: null,
  tools: 'store',
  fan_out: 'both',
  approval: null,
  payment: 'ship',
  timers: 'last',
  parent: 'after',
  mapped: 'after',
  nested: null,
  rounds: 'step',
  lasting: 'last',
  fragile: 'last',
  queued: 'last',
  refusing: 'last',
  latest: 'last',
  latest_two: 'last',
  delayed: 'call',
  throttled: 'call',
  gathering: 'call',
  fair: 'last',
  unfair: 'last',
  durable: null,
  each_durable: null,
  loops: null,
};
