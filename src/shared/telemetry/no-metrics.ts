import type { Metrics, TroubleLog } from './metrics.ts';

/** For a process whose metrics nobody can read: troubles are logged, and nothing is counted. */
export function createNoMetrics(options: { readonly log: TroubleLog }): Metrics {
  const ignore = () => undefined;
  return {
    registry: null,
    report: {
      count: ignore,
      observe: ignore,
      trouble: (what, error, ids) => options.log.error({ ...ids, err: error }, what),
    },
    onRequest: ignore,
    onLoopRound: ignore,
    onCpuTask: ignore,
    readGauge: ignore,
  };
}
