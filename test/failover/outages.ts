import type { ChaosRun } from '../chaos/run-chaos.ts';

/** The longest time without a good answer during one strike, in milliseconds. */
export interface Outage {
  readonly fault: string;
  readonly note: string;
  /** Gaps of reads, by API process. */
  readonly reads: Readonly<Record<string, number>>;
  /** The gap of starts of executions, by all clients together. */
  readonly starts: number;
}

export function measureOutages(
  run: ChaosRun,
  answered: ReadonlyMap<string, readonly number[]>,
): readonly Outage[] {
  const starts = run.operations
    .filter(({ asks, answer }) => asks.do === 'start' && answer !== null && answer.status < 300)
    .map(({ endedAtMs }) => endedAtMs ?? 0)
    .toSorted((one, other) => one - other);
  return run.strikes.map(({ fault, firedAtMs, healedAtMs, note = '' }) => {
    const until = healedAtMs ?? firedAtMs;
    const longest = (times: readonly number[]): number => longestGap(times, { firedAtMs, until });
    return {
      fault,
      note,
      reads: Object.fromEntries([...answered].map(([api, times]) => [api, longest(times)])),
      starts: longest(starts),
    };
  });
}

/** Counts gaps that overlap the strike, without the part before it. */
function longestGap(
  times: readonly number[],
  { firedAtMs, until }: { readonly firedAtMs: number; readonly until: number },
): number {
  const gaps = times.slice(1).flatMap((time, index) => {
    const before = times[index] ?? time;
    return time > firedAtMs && before < until ? [time - Math.max(before, firedAtMs)] : [];
  });
  return Math.max(0, ...gaps);
}

export function renderOutages(outages: readonly Outage[]): string {
  const lines = outages.map(({ fault, note, reads, starts }) => {
    const told = Object.entries(reads).map(([api, ms]) => `${api} ${ms} ms`);
    return `  ${fault}: reads ${told.join(', ')}; starts ${starts} ms${note === '' ? '' : ` (${note})`}`;
  });
  return `longest time without a good answer\n${lines.join('\n')}`;
}
