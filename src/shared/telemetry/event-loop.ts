import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How busy the event loop is, and by how much it lets timers wait. */
export interface EventLoopWatch {
  /** Since the process began. */
  activeSeconds(): number;
  /**
   * The delay of the timers since the last read; a second read within a moment returns the same.
   */
  delaySeconds(): { readonly p99: number; readonly max: number };
}

/** Every 10 ms, the watch alone would take 0.35 % of a core for ever, and every 100 ms 0.1 %. */
const INTERVAL_MS = 200;
/** The gauges of one scrape are of one reading. */
const SAME_MS = 50;

export function watchEventLoop(): EventLoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  histogram.enable();
  let delay = { p99: 0, max: 0 };
  let readAt = -Infinity;
  return {
    activeSeconds: () => performance.eventLoopUtilization().active / 1_000,
    delaySeconds() {
      if (performance.now() - readAt < SAME_MS) return delay;
      readAt = performance.now();
      delay =
        histogram.count === 0
          ? { p99: 0, max: 0 }
          : { p99: lateness(histogram.percentile(99)), max: lateness(histogram.max) };
      histogram.reset();
      return delay;
    },
  };
}

/** The measured time is from one timer to the next. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - INTERVAL_MS) / 1_000;
}
