import type { Metrics, TroubleLog } from './metrics.ts';
import { createOutageLines } from './outage-lines.ts';

/** For a process whose metrics nobody can read: troubles are logged, and nothing is counted. */
export function createNoMetrics(options: {
  readonly log: TroubleLog;
  /** Milliseconds. */
  readonly now: () => number;
}): Metrics {
  const outages = createOutageLines(options.now);
  const ignore = () => undefined;
  return {
    registry: null,
    report: {
      count: ignore,
      observe: ignore,
      trouble(what, error, ids) {
        const more = outages.next(what, error);
        if (more !== null) options.log.error({ ...ids, ...more, err: error }, what);
      },
    },
    onRequest: ignore,
    onLoopRound: ignore,
    onCpuTask: ignore,
    onReplicaRead: ignore,
    readGauge: ignore,
  };
}
