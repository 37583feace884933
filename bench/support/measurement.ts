/** One workload, once. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicrosPerUnit: number;
  /** Write transactions per unit; null where they cannot be counted. */
  readonly commitsPerUnit: number | null;
  readonly statementsPerUnit: number | null;
}

export function summarise(raw: {
  readonly units: number;
  readonly seconds: number;
  readonly latencies: readonly number[];
  readonly cpuMicros: number;
  readonly commits: number | null;
  readonly statements: number | null;
}): Measurement {
  const { units } = raw;
  const sorted = raw.latencies.toSorted((left, right) => left - right);
  return {
    perSecond: units / raw.seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMicrosPerUnit: raw.cpuMicros / units,
    commitsPerUnit: raw.commits === null ? null : raw.commits / units,
    statementsPerUnit: raw.statements === null ? null : raw.statements / units,
  };
}

/** The middle of several rounds, field by field. */
export function median(rounds: readonly Measurement[]): Measurement {
  const field = (pick: (round: Measurement) => number): number =>
    quantile(
      rounds.map(pick).toSorted((left, right) => left - right),
      0.5,
    );
  const optional = (pick: (round: Measurement) => number | null): number | null =>
    rounds.some((round) => pick(round) === null) ? null : field((round) => pick(round) ?? 0);
  return {
    perSecond: field((round) => round.perSecond),
    p50Ms: field((round) => round.p50Ms),
    p99Ms: field((round) => round.p99Ms),
    cpuMicrosPerUnit: field((round) => round.cpuMicrosPerUnit),
    commitsPerUnit: optional((round) => round.commitsPerUnit),
    statementsPerUnit: optional((round) => round.statementsPerUnit),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
