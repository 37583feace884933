/** One workload, once. A unit is what the workload counts: a step, a work item, a request. */
export interface Measurement {
  readonly round: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly executionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of everything but the database: client, engine, workers. */
  readonly clientCpuMicros: number;
  /** Per unit, like all that follow; null where it cannot be told. */
  readonly databaseCpuMicros: number | null;
  readonly walBytes: number | null;
  readonly statements: number | null;
  readonly writeTransactions: number | null;
  /** The most that the process of the engine has held, MiB; null where there is none of ours. */
  readonly rssMiB: number | null;
  /** Load average of the last minute, when the window ended. */
  readonly load: number;
  /** Figures that this workload alone has. */
  readonly extra: Readonly<Record<string, number>>;
}

/** What a workload tells of its measured window. */
export interface Window {
  readonly units: number;
  readonly executions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the workload's own process within the window. */
  readonly ownCpuMicros: number;
  /** Of other processes on the client's side within the window. */
  readonly otherCpuMicros: number;
  /** Of a store that is not the PostgreSQL server. */
  readonly storeCpuMicros: number | null;
  readonly rssMiB: number | null;
  readonly extra: Readonly<Record<string, number>>;
}

/** What a server has used up so far. */
export interface ServerReading {
  readonly cpuMicros: number | null;
  readonly walBytes: number;
  readonly statements: number;
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
