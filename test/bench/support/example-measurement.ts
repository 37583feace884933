import { measured, type Measurement, type Window } from '../../../bench/support/measurement.ts';

export function exampleWindow(window: Partial<Window> = {}): Window {
  return {
    units: 100,
    executions: 10,
    seconds: 1,
    p50Ms: 1,
    p99Ms: 2,
    ownCpuMicros: 0,
    otherCpuMicros: 0,
    storeCpuMicros: null,
    rssMiB: null,
    extra: {},
    ...window,
  };
}

export function exampleMeasurement(round: number, window: Partial<Window> = {}): Measurement {
  return measured({ round, window: exampleWindow(window), server: null, load: 2 });
}
