import type { JudgedGate } from '../gates.ts';
import type { Measurement } from './measurement.ts';
import { show, type Result } from './render.ts';
import { spread } from './statistics.ts';

export const BUDGET_HEAD = [
  'workload',
  'engine CPU µs',
  'database CPU µs',
  'all CPU µs',
  'cores',
  'without a pause /s',
  'made /s',
  'asked /s',
  'asked leaves µs',
] as const;

/** Client, engine and database share the machine of the gates, which has two cores. */
const CORES = 2;

/**
 * A line per workload whose rate misses a gate: the processor time of a unit, the rate of cores that never
 * pause, and what the gates ask for. Several gates give a range.
 */
export function budgetRows(
  results: readonly Result[],
  gates: readonly JudgedGate[],
): readonly (readonly string[])[] {
  const missed = gates.filter(({ verdict, rateOf }) => verdict === 'fail' && rateOf !== undefined);
  return [...Map.groupBy(missed, ({ rateOf }) => rateOf)].flatMap(([key, ofWorkload]) => {
    const result = results.find(({ subject, id }) => `${subject} ${id}` === key);
    if (result === undefined) return [];
    const middle = (pick: (round: Measurement) => number | null): number =>
      spread(result.rounds.map(pick).filter((value) => value !== null))?.median ?? NaN;
    const rate = middle(({ perSecond }) => perSecond);
    const [engine, database] = [middle(engineCpu), middle((round) => round.databaseCpuMicros)];
    const all = middle(({ clientCpuMicros }) => clientCpuMicros) + database;
    const asked = spread(ofWorkload.map(({ margin }) => rate / (margin ?? NaN)));
    if (asked === null) return [];
    // A single execution takes its steps one after the other.
    const cores = result.id.endsWith('/1') ? 1 : CORES;
    const leaves = (perSecond: number): number => (cores * 1e6) / perSecond;
    return [
      [
        result.id,
        show(engine),
        show(database),
        show(all),
        show(cores),
        show((cores * 1e6) / all),
        show(rate),
        rangeOf(asked.min, asked.max),
        rangeOf(leaves(asked.max), leaves(asked.min)),
      ],
    ];
  });
}

/** The processes of the runtime count; in a workload without any, the process that contains the engine. */
function engineCpu({ clientCpuMicros, extra }: Measurement): number {
  return extra['runtime_cpu_micros'] ?? clientCpuMicros;
}

function rangeOf(least: number, most: number): string {
  return least === most ? show(least) : `${show(least)}–${show(most)}`;
}
