import { randomBytes } from 'node:crypto';

import { openEngine, type GivenToEngine } from '../shared/engine/open-engine.ts';
import { systemTimers } from '../shared/engine/scheduling/timers.ts';
import type { Scheduling } from '../shared/engine/scheduling/scheduling.ts';
import type { UseCaseDeps } from '../shared/engine/use-case-deps.ts';
import { createWakeBus } from '../shared/engine/wake/wake-bus.ts';
import { builtInKinds } from '../shared/nodes/index.ts';
import {
  composeScheduler,
  type ComposedScheduler,
  type SchedulerPorts,
} from './compose-scheduler.ts';
import { ids } from './ids.ts';

type System = 'timers' | 'ids' | 'randomBytes' | 'wake' | 'kinds';

/**
 * The parts of a runtime. The defaults are those of a process: the system's clock, its random
 * numbers, and the service's kinds of nodes.
 */
export type RuntimePorts = Omit<GivenToEngine, System> & Partial<Pick<GivenToEngine, System>>;

export interface ComposedRuntime {
  readonly engine: UseCaseDeps;
  readonly scheduling: Scheduling;
  /** Starts the loops over the engine. */
  readonly startScheduler: (ports: SchedulerPorts) => ComposedScheduler;
}

/**
 * The one composition of a runtime: engine and scheduler over ports, without a configuration, a
 * listener or a thread of its own.
 *
 * `openRuntime` and the commands make the ports from a configuration and call this; the simulation,
 * the benchmarks and the harnesses of tests call it with their own ports. They don't go through
 * `openRuntime`: a history of the simulation boots dozens of processes within virtual milliseconds,
 * on one store and without awaiting anything, and reading a configuration, migrating and starting
 * threads for each would take longer than the history.
 */
export function composeRuntime(ports: RuntimePorts): ComposedRuntime {
  const { kinds = builtInKinds, timers = systemTimers, wake = createWakeBus() } = ports;
  const { engine, scheduling } = openEngine({
    ids,
    randomBytes,
    ...ports,
    kinds,
    timers,
    wake,
  });
  return {
    engine,
    scheduling,
    startScheduler: (given) => composeScheduler({ engine, scheduling }, given),
  };
}
