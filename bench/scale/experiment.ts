import { runCell } from '../support/cell-process.ts';
import type { BenchDatabase } from '../support/databases.ts';
import type { EngineVariant } from '../support/engine-process.ts';
import type { Measurement } from '../support/measurement.ts';

/** Measures or computes the effect of ten or a thousand times the load. */
export interface Experiment {
  readonly name: string;
  readonly what: string;
  readonly run: (given: ExperimentGiven) => Promise<readonly Row[]>;
}

export interface ExperimentGiven {
  /** The length of a measured window. */
  readonly seconds: number;
  /** Includes the sizes that take minutes to fill. */
  readonly large: boolean;
  /** Instead of the usual sizes, so many executions; null: the usual sizes. */
  readonly executions: number | null;
  readonly progress: (text: string) => void;
}

/** All rows of an experiment have the same keys. */
export type Row = Readonly<Record<string, string | number>>;

const EXECUTIONS = new URL('../workloads/executions.ts', import.meta.url);

/** Runs workload B, ten sequential steps, on a prepared database. */
export function measureChains(
  database: Pick<BenchDatabase, 'dialect' | 'url' | 'readServer'>,
  given: {
    readonly inFlight: number;
    readonly seconds: number;
    readonly variant?: EngineVariant;
  },
): Promise<Measurement> {
  const { inFlight, seconds, variant = {} } = given;
  return runCell({
    module: EXECUTIONS,
    database: { dialect: database.dialect, url: database.url },
    params: { shape: 'chain', steps: 10, inFlight, kind: 'noop', variant },
    seconds,
    secondsMax: seconds * 2 + 120,
    round: 1,
    readServer: database.readServer,
  });
}

export function rounded(value: number | null, digits = 0): number | string {
  return value === null ? '–' : Number(value.toFixed(digits));
}
