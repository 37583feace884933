import { SERVING_OPTIONS } from './support/serving-options.ts';
import type { Cell } from './cells.ts';
import type { Dialect } from './support/workload.ts';

const EMBEDDED = 'workloads/embedded-workers.ts';

/** Workloads W measure what users of the SDK run. */
interface Served {
  readonly name: 'W1' | 'W10' | 'WF' | 'WE';
  readonly what: string;
  readonly module: 'workloads/workers.ts' | typeof EMBEDDED;
  readonly params: { readonly as: 'tools' | 'function'; readonly steps: number };
}

const SERVED: readonly Served[] = [
  {
    name: 'W1',
    what: 'one step of a worker over HTTP',
    module: 'workloads/workers.ts',
    params: { as: 'tools', steps: 1 },
  },
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
    module: EMBEDDED,
    params: { as: 'function', steps: 10 },
  },
];

const QUICK = ['W10/1', 'W10/16', 'W10/64', 'WF/16', 'WE/16'];

interface Setup {
  readonly dialect: Dialect;
  readonly workers: number;
  readonly inFlight: number;
  /** The API and the scheduler run in separate processes. */
  readonly apart: boolean;
}

export function workerCells(dialect: Dialect, subject: string): readonly Cell[] {
  const cells = SERVED.flatMap((served) =>
    setupsOf(served, dialect).map((setup) => cellOf(served, subject, setup)),
  );
  return dialect === 'postgres' ? [...cells, ...pacedCells(subject)] : cells;
}

/** About half of the rate of a slow machine, so that both have as many executions in flight. */
const PACED_PER_SECOND = 40;

/** Two that differ in the callers alone: their processor times tell what a waiting caller costs. */
function pacedCells(subject: string): readonly Cell[] {
  return [true, false].map((isWaitedFor) => ({
    id: `W10/${isWaitedFor ? 'waited' : 'unwaited'}`,
    subject,
    what:
      `ten steps of a worker over HTTP, ${PACED_PER_SECOND} executions started a second, ` +
      (isWaitedFor ? 'a caller waits for each result' : 'nobody waits for the results'),
    unit: 'steps',
    database: 'postgres',
    module: 'workloads/workers.ts',
    params: {
      as: 'tools',
      steps: 10,
      inFlight: 16,
      workers: 1,
      apart: false,
      paced: { perSecond: PACED_PER_SECOND, isWaitedFor },
    },
    quick: false,
    longer: 4,
  }));
}

/** SQLite allows one runtime process; one worker measures it. */
function setupsOf({ module }: Served, dialect: Dialect): readonly Setup[] {
  const isOnServer = dialect === 'postgres';
  const together = (isOnServer ? [1, 4] : [1]).flatMap((workers) =>
    [1, 16, 64, 256].map((inFlight) => ({ dialect, workers, inFlight, apart: false })),
  );
  if (!isOnServer || module === EMBEDDED) return together;
  const apart = [16, 64].map((inFlight) => ({ dialect, workers: 1, inFlight, apart: true }));
  return [...together, ...apart];
}

function cellOf({ name, what, module, params }: Served, subject: string, setup: Setup): Cell {
  const { dialect, workers, inFlight, apart } = setup;
  const id = `${name}/${inFlight}${workers === 1 ? '' : ` × ${workers}`}${apart ? ' apart' : ''}`;
  return {
    id,
    subject,
    what:
      `${what}, ${inFlight} in flight${workers === 1 ? '' : `, ${workers} workers`}` +
      (apart ? ', api and scheduler in processes of their own' : ''),
    unit: 'steps',
    database: dialect,
    module,
    ...(module === EMBEDDED && { nodeOptions: SERVING_OPTIONS }),
    params: { ...params, inFlight, workers, apart },
    quick: dialect === 'postgres' && QUICK.includes(id),
    ...((workers > 1 || apart || dialect === 'sqlite') && { roundsMax: 2 }),
  };
}
