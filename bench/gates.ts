import { patchBytesOfStep, STATES } from './cells.ts';
import type { Measurement } from './support/measurement.ts';
import { ratios, spread } from './support/statistics.ts';

/** All rounds of all workloads, by `<subject> <id>` (see `keyOf`). */
export type Rounds = ReadonlyMap<string, readonly Measurement[]>;

export interface Gate {
  readonly workload: string;
  readonly asks: string;
  /** The figure that is judged; null: a measurement that it needs is missing. */
  readonly figure: (rounds: Rounds) => number | null;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** The workload whose rate the gate judges, by `keyOf`; absent: it judges another figure. */
  readonly rateOf?: string;
}

export interface JudgedGate {
  readonly workload: string;
  readonly asks: string;
  readonly figure: number | null;
  readonly bound: Gate['bound'];
  readonly rateOf?: string;
  readonly verdict: 'pass' | 'fail' | 'not measured';
  /** The distance to the bound: above 1 the gate passes; null when the divisor is zero. */
  readonly margin: number | null;
}

export const keyOf = (cell: { readonly subject: string; readonly id: string }): string =>
  `${cell.subject} ${cell.id}`;

type Pick = (measurement: Measurement) => number | null;

const unitRate = ({ perSecond }: Measurement): number => perSecond;
const extra =
  (name: string): Pick =>
  (measurement) =>
    measurement.extra[name] ?? null;

/** The median of the rounds' ratios; both figures of a ratio come from the same round. */
function ratio(above: string, below: string, pick = unitRate): Gate['figure'] {
  return (rounds) => {
    const values = (key: string) =>
      new Map((rounds.get(key) ?? []).map((measurement) => [measurement.round, pick(measurement)]));
    return spread(ratios(values(above), values(below)))?.median ?? null;
  };
}

function middle(key: string, pick: Pick): Gate['figure'] {
  return (rounds) => {
    const values = (rounds.get(key) ?? []).map(pick).filter((value) => value !== null);
    return spread(values)?.median ?? null;
  };
}

/**
 * The highest figure of all rounds of the workloads whose key begins with `of`: by default ours.
 */
function worst(pick: Pick, of = 'svc'): Gate['figure'] {
  return (rounds) => {
    const values = [...rounds]
      .filter(([key]) => key.startsWith(of))
      .flatMap(([, all]) => all.map(pick))
      .filter((value) => value !== null);
    return spread(values)?.max ?? null;
  };
}

function ahead(workload: string, times: Readonly<Record<string, number>>): Gate[] {
  return Object.entries(times).map(([peer, atLeast]) => ({
    workload,
    asks: `≥ ${atLeast} × ${peer}`,
    figure: ratio(`svc ${workload}`, `${peer} ${workload}`),
    bound: { atLeast },
    rateOf: `svc ${workload}`,
  }));
}

/** A rate beside that of a peer in another workload: a worker's steps beside steps in the application. */
function aheadOf(
  workload: string,
  subject: string,
  given: { readonly workload: string; readonly times: Readonly<Record<string, number>> },
): Gate[] {
  return Object.entries(given.times).map(([peer, atLeast]) => ({
    workload,
    asks: `≥ ${atLeast} × ${peer} ${given.workload}`,
    figure: ratio(`${subject} ${workload}`, `${peer} ${given.workload}`),
    bound: { atLeast },
    rateOf: `${subject} ${workload}`,
  }));
}

const L0 = 'raw L0/16';
const RSS_MIB_MAX = 192;

function ofLimit(workload: string, atLeast: number): Gate {
  return {
    workload,
    asks: `≥ ${atLeast} × L0`,
    figure: ratio(`svc ${workload}`, L0),
    bound: { atLeast },
    rateOf: `svc ${workload}`,
  };
}

/** Steps of a worker over HTTP, which leave the process, beside steps of peers, most of which do not. */
const OVER_HTTP = { Restate: 1.5, DBOS: 3, Temporal: 30, 'Temporal local': 8 };

const allCpuMicros: Pick = ({ clientCpuMicros, databaseCpuMicros }) =>
  databaseCpuMicros === null ? null : clientCpuMicros + databaseCpuMicros;

/** Processor time of a step whose execution a caller waits for, beside one that nobody waits for. */
const costOfWaiting: Gate['figure'] = (rounds) => {
  const waited = middle('svc W10/waited', allCpuMicros)(rounds);
  const unwaited = middle('svc W10/unwaited', allCpuMicros)(rounds);
  return waited === null || unwaited === null ? null : waited / unwaited;
};

export const GATES: readonly Gate[] = [
  ...['W10/16', 'W10/16 apart'].flatMap((workload) =>
    aheadOf(workload, 'svc', { workload: 'B/16', times: OVER_HTTP }),
  ),
  {
    workload: 'W10/16 apart',
    asks: '≥ 0.9 × in one process',
    figure: ratio('svc W10/16 apart', 'svc W10/16'),
    bound: { atLeast: 0.9 },
  },
  ...aheadOf('W10/1', 'svc', { workload: 'B/1', times: { 'Temporal local': 2 } }),
  ...aheadOf('WF/16', 'svc', { workload: 'B/16', times: { Restate: 2, DBOS: 3 } }),
  ...aheadOf('WE/16', 'svc', { workload: 'B/16', times: { Restate: 3, DBOS: 4 } }),
  ...[
    { workload: 'W10/1', atMost: 3 },
    { workload: 'W10/16', atMost: 0.8 },
    { workload: 'W10/64', atMost: 0.4 },
  ].map(({ workload, atMost }) => ({
    workload,
    asks: `≤ ${atMost} statements a step`,
    figure: middle(`svc ${workload}`, ({ statements }) => statements),
    bound: { atMost },
  })),
  {
    // `npm run bench:before` measures it; before: the last version whose completions decided nothing.
    workload: 'W10/64',
    asks: 'processor time ≤ 0.35 × of before, in turn',
    figure: ratio(
      'svc W10/64 in turn',
      'svc before W10/64 in turn',
      (measurement) => allCpuMicros(measurement) ?? NaN,
    ),
    bound: { atMost: 0.35 },
  },
  {
    workload: 'W10/16',
    asks: '≤ 2 200 bytes of log a step',
    figure: middle('svc W10/16', ({ walBytes }) => walBytes),
    bound: { atMost: 2_200 },
  },
  ofLimit('D/64', 0.28),
  ...ahead('B/16', { DBOS: 8, Restate: 4.5, OpenWorkflow: 5, Absurd: 5 }),
  ofLimit('B/16', 0.6),
  ofLimit('B/64', 1),
  ofLimit('B/256', 1.5),
  {
    workload: 'B/64',
    asks: '≤ 1 261 bytes of log a step',
    figure: middle('svc B/64', ({ walBytes }) => walBytes),
    bound: { atMost: 1_261 },
  },
  ...ahead('A/16', { DBOS: 6, Restate: 4 }),
  ...ahead('C/16', { DBOS: 20, Restate: 8 }),
  {
    workload: 'E',
    asks: 'hand-off p50 ≤ 0.6 ms',
    figure: middle('svc B/1', extra('hand_off_p50_ms')),
    bound: { atMost: 0.6 },
  },
  {
    workload: 'E on SQLite',
    asks: 'hand-off p50 ≤ 0.3 ms',
    figure: middle('svc on SQLite B/1', extra('hand_off_p50_ms')),
    bound: { atMost: 0.3 },
  },
  {
    workload: 'E across processes',
    asks: 'completion to next claim p99 ≤ 10 ms',
    figure: middle('svc E/1', ({ p99Ms }) => p99Ms),
    bound: { atMost: 10 },
  },
  ...[
    { name: 'p50', pick: ({ p50Ms }: Measurement) => p50Ms },
    { name: 'p99', pick: ({ p99Ms }: Measurement) => p99Ms },
  ].map(({ name, pick }) => ({
    workload: 'E across processes',
    asks: `completion to next claim ${name} ≤ 4 × that of one commit`,
    figure: ratio('svc E/1', 'raw L0 by pg/1', pick),
    bound: { atMost: 4 },
  })),
  {
    workload: 'E end',
    asks: 'end to the answer of a waiting caller p99 ≤ 10 ms',
    figure: middle('svc E end/1', extra('known_p99_ms')),
    bound: { atMost: 10 },
  },
  {
    workload: 'W10',
    asks: 'processor time ≤ 1.05 × with a caller that waits',
    figure: costOfWaiting,
    bound: { atMost: 1.05 },
  },
  {
    workload: 'F/10 k',
    asks: 'last decile ≥ 0.9 × best of the first three',
    figure: middle('svc F/10 k', extra('last_to_first_deciles')),
    bound: { atLeast: 0.9 },
  },
  {
    workload: 'F/100 k',
    asks: 'last decile ≥ 0.9 × best of the first three',
    figure: middle('svc F/100 k', extra('last_to_first_deciles')),
    bound: { atLeast: 0.9 },
  },
  ...['G/16', 'G/16 held'].map((workload) => ({
    workload,
    asks: 'last tenth ≥ 0.9 × first',
    figure: middle(`svc ${workload}`, extra('last_to_first_tenth')),
    bound: { atLeast: 0.9 },
  })),
  ...STATES.kB.map((kB) => ({
    workload: `I/${kB} kB`,
    asks: 'WAL − 1.3 × patch ≤ 1 024 bytes a step',
    figure: middle(`svc I/${kB} kB`, ({ walBytes }) =>
      walBytes === null ? null : walBytes - 1.3 * patchBytesOfStep(kB),
    ),
    bound: { atMost: 1_024 },
  })),
  ...[2, 4].map((schedulers) => ({
    workload: `K/${schedulers}`,
    asks: 'no slower than one scheduler',
    figure: ratio(`svc K/${schedulers}`, 'svc K/1'),
    bound: { atLeast: 0.95 },
  })),
  {
    workload: 'K',
    asks: 'no commit of a claim is refused',
    figure: middle('svc K/4', extra('commit_refusals')),
    bound: { atMost: 0 },
  },
  ...['idle', 'idle/100 k'].flatMap((workload): readonly Gate[] => [
    {
      workload,
      asks: '< 2 statements/s in all',
      figure: middle(`svc ${workload}`, ({ statements }) => statements),
      bound: { atMost: 2 },
    },
    {
      workload,
      asks: '< 1 % of a core in all',
      figure: middle(`svc ${workload}`, extra('core_percent')),
      bound: { atMost: 1 },
    },
  ]),
  {
    workload: 'B/64 on SQLite',
    asks: '≥ 1.2 × PostgreSQL',
    figure: ratio('svc on SQLite B/64', 'svc B/64'),
    bound: { atLeast: 1.2 },
  },
  ...['api', 'scheduler'].map((role) => ({
    workload: 'D apart',
    asks: `${role} < ${RSS_MIB_MAX} MiB`,
    figure: worst(extra(`${role}_rss_mib`), 'svc D/'),
    bound: { atMost: RSS_MIB_MAX },
  })),
  {
    workload: 'all',
    asks: `a process of ours < ${RSS_MIB_MAX} MiB`,
    figure: worst(({ rssMiB, extra: { client_inside } }) =>
      client_inside === undefined ? rssMiB : null,
    ),
    bound: { atMost: RSS_MIB_MAX },
  },
  {
    workload: 'all',
    asks: `with the client in the same process < ${RSS_MIB_MAX} MiB`,
    figure: worst(({ rssMiB, extra: { client_inside } }) =>
      client_inside === undefined ? null : rssMiB,
    ),
    bound: { atMost: RSS_MIB_MAX },
  },
  ...['start', 'start/clone', 'start/package'].flatMap((workload): readonly Gate[] => [
    {
      workload,
      asks: 'svc dev ready ≤ 10 × node -e 0',
      figure: middle(`svc ${workload}`, extra('dev_to_node')),
      bound: { atMost: 10 },
    },
    {
      workload,
      asks: 'svc version ≤ 1.6 × node -e 0',
      figure: middle(`svc ${workload}`, extra('version_to_node')),
      bound: { atMost: 1.6 },
    },
  ]),
];

export function judge(gates: readonly Gate[], rounds: Rounds): readonly JudgedGate[] {
  return gates.map(({ figure, ...gate }) => {
    const found = figure(rounds);
    if (found === null) return { ...gate, figure: null, verdict: 'not measured', margin: null };
    const { bound } = gate;
    const passed = 'atLeast' in bound ? found >= bound.atLeast : found <= bound.atMost;
    const ratio = 'atLeast' in bound ? found / bound.atLeast : bound.atMost / found;
    const margin = Number.isFinite(ratio) ? ratio : null;
    return { ...gate, figure: found, verdict: passed ? 'pass' : 'fail', margin };
  });
}
