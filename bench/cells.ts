import { SERVING_OPTIONS } from './support/serving-options.ts';
import { workerCells } from './worker-cells.ts';
import type { Dialect } from './support/workload.ts';

/** One line of the table: a workload with its parameters, for one subject. */
export interface Cell {
  /** `<workload>/<in flight>`; the same for all subjects that do the same work. */
  readonly id: string;
  /** `svc`, `svc on SQLite`, `raw`, or the name of a peer. */
  readonly subject: string;
  readonly what: string;
  readonly unit: string;
  readonly database: Dialect | 'empty';
  /** Relative to this folder. */
  readonly module: string;
  readonly params: unknown;
  /**
   * Options of Node for the process of the workload. Where it contains the engine, they are those with
   * which the product starts its own processes.
   */
  readonly nodeOptions?: readonly string[];
  /** Part of `--quick`. */
  readonly quick: boolean;
  /** The factor by which its window is longer than that of others. */
  readonly longer?: number;
  /** Only the first rounds measure it, this many at most, because it takes long. */
  readonly roundsMax?: number;
}

export function listCells(given: {
  readonly pgbench: string | null;
  /** Zero leaves out the workload that takes minutes. */
  readonly churnSeconds: number;
  /** Zero leaves out the idle clusters. */
  readonly idleSeconds?: number;
  readonly seconds: number;
  /** Includes the backlog of a million executions. */
  readonly large: boolean;
}): readonly Cell[] {
  return [
    ...rawLimit(given.pgbench),
    ...rawDriver(),
    rawHttp,
    ...chains('postgres', 'svc'),
    ...chains('sqlite', 'svc on SQLite'),
    ...fanOut(),
    ...workerLoops(),
    ...across(),
    ...workerCells('postgres', 'svc'),
    ...workerCells('sqlite', 'svc on SQLite'),
    ...states(),
    ...backlogs('postgres', 'svc', given.large ? [10, 100, 1_000] : [10, 100]),
    ...backlogs('sqlite', 'svc on SQLite', [10, 100]),
    ...schedulers(),
    ...managementRoutes(),
    ...startUp(),
    ...recalls(),
    ...(given.churnSeconds === 0 ? [] : churn(given.churnSeconds / given.seconds)),
    ...(given.idleSeconds ? idle(given.idleSeconds / given.seconds) : []),
  ];
}

function rawLimit(pgbench: string | null): readonly Cell[] {
  const by = pgbench === null ? 'pg' : 'pgbench';
  return [
    { connections: 16, batch: 1, quick: true },
    { connections: 64, batch: 1, quick: false },
    { connections: 16, batch: 50, quick: true },
  ].map(({ quick, connections, batch }) => ({
    id: `L0${batch === 1 ? '' : ` × ${batch}`}/${connections}`,
    subject: 'raw',
    what: `${by}, ${batch === 1 ? 'one step' : `${batch} steps`} a transaction, ${connections} connections`,
    unit: 'steps',
    database: 'empty',
    module: 'workloads/raw-limit.ts',
    params: { connections, batch, pgbench: pgbench ?? '' },
    quick,
  }));
}

/**
 * The counterparts of pgbench: the rate that one Node process reaches with the engine's driver, and the time
 * that one commit takes it.
 */
function rawDriver(): readonly Cell[] {
  return [16, 1].map((connections) => ({
    id: `L0 by pg/${connections}`,
    subject: 'raw',
    what:
      'pg from one process of Node, one step a transaction, ' +
      (connections === 1 ? 'one connection' : `${connections} connections`),
    unit: 'steps',
    database: 'empty',
    module: 'workloads/raw-limit.ts',
    params: { connections, batch: 1, pgbench: '' },
    quick: true,
  }));
}

const rawHttp: Cell = {
  id: 'L0 HTTP/16',
  subject: 'raw',
  what: 'requests to a server of Node that does nothing, 16 connections',
  unit: 'requests',
  database: 'sqlite',
  module: 'workloads/raw-http.ts',
  params: { connections: 16 },
  quick: true,
};

function chains(dialect: Dialect, subject: string): readonly Cell[] {
  const chain = (
    name: string,
    what: string,
    given: {
      readonly steps: number;
      readonly inFlight: readonly number[];
      readonly quick: readonly number[];
      readonly kind: 'noop' | 'pass';
    },
  ): readonly Cell[] =>
    given.inFlight.map((inFlight) => ({
      id: `${name}/${inFlight}`,
      subject,
      what: `${what}, ${inFlight} in flight`,
      unit: 'steps',
      database: dialect,
      module: 'workloads/executions.ts',
      nodeOptions: SERVING_OPTIONS,
      params: { shape: 'chain', steps: given.steps, inFlight, kind: given.kind },
      quick: given.quick.includes(inFlight),
    }));
  const [few, many] = [[16], [16, 64, 256, 1]];
  const postgres = dialect === 'postgres';
  return [
    ...chain('B', 'ten steps', {
      steps: 10,
      inFlight: many,
      quick: postgres ? many : [16, 64, 1],
      kind: 'noop',
    }),
    ...chain('A', 'one step', { steps: 1, inFlight: many, quick: few, kind: 'noop' }),
    ...chain('B0', 'ten pure steps', {
      steps: 10,
      inFlight: few,
      quick: postgres ? few : [],
      kind: 'pass',
    }),
  ];
}

function fanOut(): readonly Cell[] {
  return [1, 16].map((inFlight) => ({
    id: `C/${inFlight}`,
    subject: 'svc',
    what: `100 steps side by side and a join, ${inFlight} in flight`,
    unit: 'steps',
    database: 'postgres',
    module: 'workloads/executions.ts',
    nodeOptions: SERVING_OPTIONS,
    params: { shape: 'fan', steps: 100, inFlight, kind: 'noop' },
    quick: inFlight === 16,
  }));
}

/** Workload I: the size of an execution's input, and of the patch of each step. */
export const STATES = { kB: [1, 10, 100], steps: 20, patchBytes: 100 } as const;

/** Bytes that an execution writes per step, its input included. */
export function patchBytesOfStep(kB: number): number {
  return (kB * 1_000) / STATES.steps + STATES.patchBytes;
}

function states(): readonly Cell[] {
  const { steps, patchBytes } = STATES;
  return STATES.kB.map((kB) => ({
    id: `I/${kB} kB`,
    subject: 'svc',
    what: `${steps} steps that write ${patchBytes} bytes each into a state of ${kB} kB, 16 in flight`,
    unit: 'steps',
    database: 'postgres',
    module: 'workloads/executions.ts',
    nodeOptions: SERVING_OPTIONS,
    params: {
      shape: 'chain',
      steps,
      inFlight: 16,
      kind: 'noop',
      inputBytes: kB * 1_000,
      patchBytes,
    },
    quick: false,
  }));
}

function workerLoops(): readonly Cell[] {
  return [
    { loops: 1, workers: 1, heartbeat: true, quick: false },
    { loops: 16, workers: 1, heartbeat: true, quick: true },
    { loops: 16, workers: 1, heartbeat: false, quick: true },
    { loops: 64, workers: 1, heartbeat: true, quick: false },
    { loops: 16, workers: 4, heartbeat: true, quick: false },
    { loops: 64, workers: 4, heartbeat: true, quick: false },
    { loops: 16, workers: 1, heartbeat: true, quick: true, apart: true },
    { loops: 64, workers: 1, heartbeat: true, quick: false, apart: true },
  ].map(({ quick, loops, workers, heartbeat, apart = false }) => ({
    id:
      `D/${loops}${workers === 1 ? '' : ` × ${workers}`}` +
      `${heartbeat ? '' : ' short'}${apart ? ' apart' : ''}`,
    subject: 'svc',
    what:
      `claim, ${heartbeat ? 'heartbeat, ' : ''}complete over HTTP, ${loops} loops ` +
      `of ${workers} worker processes${apart ? ', api and scheduler in processes of their own' : ''}`,
    unit: 'items',
    database: 'postgres',
    module: 'workloads/worker-loop.ts',
    params: { loops, workers, heartbeat, apart },
    quick,
    ...(workers > 1 && { roundsMax: 2 }),
  }));
}

function across(): readonly Cell[] {
  return [
    {
      id: 'E/1',
      subject: 'svc',
      what: 'completion to the next claim, api and scheduler in processes of their own',
      unit: 'steps',
      database: 'postgres',
      module: 'workloads/across-processes.ts',
      params: {},
      quick: true,
    },
    {
      id: 'E end/1',
      subject: 'svc',
      what: 'the last completion to the answer of a caller that waits at another api',
      unit: 'executions',
      database: 'postgres',
      module: 'workloads/waiting-caller.ts',
      params: {},
      quick: true,
    },
  ];
}

function backlogs(dialect: Dialect, subject: string, sizes: readonly number[]): readonly Cell[] {
  return sizes.map((thousands) => ({
    id: `F/${thousands} k`,
    subject,
    what: `a backlog of ${thousands} 000 executions of one step`,
    unit: 'executions',
    database: dialect,
    module: 'workloads/backlog.ts',
    nodeOptions: SERVING_OPTIONS,
    params: { executions: thousands * 1_000 },
    quick: false,
    ...(thousands > 10 && { roundsMax: 2 }),
  }));
}

function schedulers(): readonly Cell[] {
  return [1, 2, 4].map((count) => ({
    id: `K/${count}`,
    subject: 'svc',
    what: `a backlog of chains of ten steps, ${count} scheduler processes`,
    unit: 'steps',
    database: 'postgres',
    module: 'workloads/schedulers.ts',
    params: { schedulers: count, executionsPerSecond: 700 },
    quick: false,
    roundsMax: 3,
    // The first second is start-up: the processes distribute the shards and compile the code.
    longer: 2,
  }));
}

function startUp(): readonly Cell[] {
  return [
    { id: 'start', from: 'sources', what: 'the sources' },
    { id: 'start/clone', from: 'clone', what: 'a clone with a build' },
    { id: 'start/package', from: 'package', what: 'the package' },
  ].map(({ id, from, what }) => ({
    id,
    subject: 'svc',
    what: `svc version, and svc dev until it answers, run from ${what}`,
    unit: 'pairs',
    database: 'sqlite',
    module: 'workloads/start-up.ts',
    params: { from },
    quick: true,
  }));
}

function churn(longer: number): readonly Cell[] {
  return [false, true].map((heldSnapshot) => ({
    id: `G/16${heldSnapshot ? ' held' : ''}`,
    subject: 'svc',
    what: `chains of ten steps at half load${heldSnapshot ? ', a snapshot held' : ''}`,
    unit: 'steps',
    database: 'postgres',
    module: 'workloads/churn.ts',
    nodeOptions: SERVING_OPTIONS,
    params: { inFlight: 16, heldSnapshot },
    quick: true,
    longer,
  }));
}

/** Its unit is a second, so its counters are per second. */
function idle(longer: number): readonly Cell[] {
  return [0, 100].map((thousands) => ({
    id: `idle${thousands === 0 ? '' : `/${thousands} k`}`,
    subject: 'svc',
    what:
      '2 api and 2 scheduler processes and 4 long polls that have nothing to do' +
      (thousands === 0 ? '' : `, ${thousands} 000 executions that wait for a person`),
    unit: 'seconds',
    database: 'postgres',
    module: 'workloads/idle.ts',
    params: { apis: 2, schedulers: 2, longPolls: 4, paused: thousands * 1_000 },
    quick: true,
    longer,
  }));
}

/** Ten thousand facts; `npm run bench:recall` measures more. */
function recalls(): readonly Cell[] {
  return (['postgres', 'sqlite'] as const).map((dialect) => ({
    id: 'M/10 k',
    subject: dialect === 'postgres' ? 'svc' : 'svc on SQLite',
    what: 'recalls from a memory of 10 000 facts, one at a time',
    unit: 'recalls',
    database: dialect,
    module: 'workloads/recall-window.ts',
    params: { facts: 10_000, recallsPerSecond: 100 },
    nodeOptions: SERVING_OPTIONS,
    quick: false,
    roundsMax: 2,
  }));
}

function managementRoutes(): readonly Cell[] {
  return ['list', 'read', 'events', 'start', 'workflows'].map((route) => ({
    id: `J/${route}`,
    subject: 'svc',
    what: `the route "${route}" of the API, 16 requests in flight`,
    unit: 'requests',
    database: 'postgres',
    module: 'workloads/management-routes.ts',
    params: { route, inFlight: 16 },
    quick: false,
    roundsMax: 2,
  }));
}
