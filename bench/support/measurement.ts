/** The result of one workload, run once. Its unit is a step, a work item or a request. */
export interface Measurement {
  readonly round: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly executionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of everything except the database: client, engine, workers. */
  readonly clientCpuMicros: number;
  /** Per unit, like all figures below; null when unknown. */
  readonly databaseCpuMicros: number | null;
  readonly walBytes: number | null;
  readonly statements: number | null;
  readonly writeTransactions: number | null;
  /** The peak memory of the engine's process, MiB; null without a process of ours. */
  readonly rssMiB: number | null;
  /** The load average of the last minute, at the end of the window. */
  readonly load: number;
  /** Figures specific to this workload. */
  readonly extra: Readonly<Record<string, number>>;
}

/** The report of a workload about its measured window. */
export interface Window {
  readonly units: number;
  readonly executions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the workload's own process within the window. */
  readonly ownCpuMicros: number;
  /** Processor time of other client-side processes within the window. */
  readonly otherCpuMicros: number;
  /** Processor time of a store other than the PostgreSQL server. */
  readonly storeCpuMicros: number | null;
  readonly rssMiB: number | null;
  readonly extra: Readonly<Record<string, number>>;
}

/** The resources that a server has used so far. */
export interface ServerReading {
  readonly cpuMicros: number | null;
  readonly walBytes: number;
  readonly statements: number;
  /** Pages of 8 KiB that statements read, from memory or from disk. */
  readonly pages: number;
  readonly transactions: number;
}

export function measured(given: {
  readonly round: number;
  readonly window: Window;
  /** Null: the workload does not use the server. */
  readonly server: { readonly before: ServerReading; readonly after: ServerReading } | null;
  readonly load: number;
}): Measurement {
  const { round, window, server, load } = given;
  const perUnit = (value: number): number => value / Math.max(1, window.units);
  const used = (pick: (reading: ServerReading) => number | null): number | null => {
    if (server === null) return null;
    const [before, after] = [pick(server.before), pick(server.after)];
    return before === null || after === null ? null : perUnit(after - before);
  };
  return {
    round,
    seconds: window.seconds,
    perSecond: window.units / window.seconds,
    executionsPerSecond: window.executions / window.seconds,
    p50Ms: window.p50Ms,
    p99Ms: window.p99Ms,
    clientCpuMicros: perUnit(window.ownCpuMicros + window.otherCpuMicros),
    databaseCpuMicros:
      window.storeCpuMicros === null
        ? used(({ cpuMicros }) => cpuMicros)
        : perUnit(window.storeCpuMicros),
    walBytes: used(({ walBytes }) => walBytes),
    statements: used(({ statements }) => statements),
    writeTransactions: used(({ transactions }) => transactions),
    rssMiB: window.rssMiB,
    load,
    extra: window.extra,
  };
}
