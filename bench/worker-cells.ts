import type { Cell } from './cells.ts';
import type { Dialect } from './support/workload.ts';

/** Workloads W: what a user of the SDK has. */
interface Served {
  readonly name: 'W10' | 'WF' | 'WE';
  readonly what: string;
  readonly module: string;
  readonly params: { readonly as: 'tools' | 'function'; readonly steps: number };
}

const SERVED: readonly Served[] = [
  {
    name: 'W10',
    what: 'ten steps of a worker over HTTP',
    module: 'workloads/workers.ts',
    params: { as: 'tools', steps: 10 },
  },
  {
    name: 'WF',
    what: 'a function of ten steps over HTTP',
    module: 'workloads/workers.ts',
    params: { as: 'function', steps: 10 },
  },
  {
    name: 'WE',
    what: 'a function of ten steps, embedded',
    module: 'workloads/embedded-workers.ts',
    params: { as: 'function', steps: 10 },
  },
];

const QUICK = ['W10/1', 'W10/16', 'W10/64', 'WF/16', 'WE/16'];

export function workerCells(dialect: Dialect, subject: string): readonly Cell[] {
  return SERVED.flatMap((served) =>
    [1, 4].flatMap((workers) =>
      [1, 16, 64, 256].map((inFlight) => cellOf(served, { dialect, subject, workers, inFlight })),
    ),
  );
}

function cellOf(
  { name, what, module, params }: Served,
  given: {
    readonly dialect: Dialect;
    readonly subject: string;
    readonly workers: number;
    readonly inFlight: number;
  },
): Cell {
  const { dialect, subject, workers, inFlight } = given;
  const id = `${name}/${inFlight}${workers === 1 ? '' : ` × ${workers}`}`;
  return {
    id,
    subject,
    what: `${what}, ${inFlight} in flight${workers === 1 ? '' : `, ${workers} workers`}`,
    unit: 'steps',
    database: dialect,
    module,
    params: { ...params, inFlight, workers, apart: false },
    quick: dialect === 'postgres' && QUICK.includes(id),
    ...((workers > 1 || dialect === 'sqlite') && { roundsMax: 2 }),
  };
}
