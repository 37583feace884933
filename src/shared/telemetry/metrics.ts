import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { EngineReport } from '../engine/report.ts';
import { watchEventLoop } from './event-loop.ts';
import { METRICS } from './metric-list.ts';
import { createOutageLines } from './outage-lines.ts';
import type { CounterKey, GaugeKey, HistogramKey, MetricKey, MetricSpec } from './metric-list.ts';

export interface Metrics {
  /** One per process, scraped from the ops listener; null: nobody reads them. */
  readonly registry: Registry | null;
  readonly report: EngineReport;
  /** `route`: the pattern that matched (`/executions/:id`), null when none did. */
  onRequest(request: {
    readonly method: string;
    readonly route: string | null;
    readonly status: number;
    readonly seconds: number;
  }): void;
  onLoopRound(round: {
    readonly loop: string;
    readonly found: number;
    readonly seconds: number;
    readonly ok: boolean;
  }): void;
  onCpuTask(task: {
    readonly task: string;
    readonly place: 'inline' | 'thread';
    readonly outcome: string;
  }): void;
  onReplicaRead(outcome: string): void;
  /** The gauge is read from `read` at each scrape. */
  readGauge(key: GaugeKey, read: () => readonly GaugeReading[]): void;
}

export interface GaugeReading {
  readonly value: number;
  readonly labels?: Labels;
}

/** The part of the logger that survived errors go to. */
export interface TroubleLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

type Labels = Readonly<Record<string, string>>;

/**
 * The process's metrics, made from the one list. Labels that the list does not name are dropped,
 * and a label that has taken `LABEL_VALUES_MAX` values reads `other` from then on: so the number of
 * series stays bounded for any input.
 */
export function createMetrics(options: {
  readonly version: string;
  readonly role: string;
  readonly log: TroubleLog;
  /** Unix milliseconds. */
  readonly now: () => number;
}): Metrics & { readonly registry: Registry } {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const eventLoop = watchEventLoop();
  const readers = new Map<GaugeKey, () => readonly GaugeReading[]>();
  const bound = boundLabels();
  const counters = new Map<MetricKey, Counter>();
  const gauges = new Map<MetricKey, Gauge>();
  const histograms = new Map<MetricKey, Histogram>();

  for (const [key, spec] of entries()) {
    const config = { name: spec.name, help: spec.help, labelNames: [...spec.labels] };
    if (spec.type === 'counter') {
      const collect =
        key === 'event_loop_active'
          ? function (this: Counter) {
              this.reset();
              this.inc(eventLoop.activeSeconds());
            }
          : undefined;
      counters.set(
        key,
        new Counter({ ...config, ...(collect && { collect }), registers: [registry] }),
      );
    } else if (spec.type === 'histogram') {
      const buckets = [...(spec.buckets ?? [])];
      histograms.set(key, new Histogram({ ...config, buckets, registers: [registry] }));
    } else {
      const collect = function (this: Gauge) {
        setReadings(this, spec, readers.get(key as GaugeKey));
      };
      gauges.set(key, new Gauge({ ...config, collect, registers: [registry] }));
    }
  }

  for (const [key, { labels, values = [] }] of entries()) {
    const [label = ''] = labels;
    for (const value of values) {
      counters.get(key)?.inc(bound(key, { [label]: value }), 0);
      histograms.get(key)?.zero(bound(key, { [label]: value }));
    }
  }
  function count(key: CounterKey, by: number, labels?: Labels): void {
    counters.get(key)?.inc(bound(key, labels), by);
  }
  function observe(key: HistogramKey, value: number, labels?: Labels): void {
    histograms.get(key)?.observe(bound(key, labels), value);
  }
  function setGauge(key: GaugeKey, value: number, labels?: Labels): void {
    gauges.get(key)?.set(bound(key, labels), value);
  }

  readers.set('event_loop_delay_p99', () => [{ value: eventLoop.delaySeconds().p99 }]);
  readers.set('event_loop_delay_max', () => [{ value: eventLoop.delaySeconds().max }]);
  setGauge('build_info', 1, {
    version: options.version,
    role: options.role,
    node_version: process.version,
  });

  const outages = createOutageLines(options.now);
  return {
    registry,
    report: {
      count,
      observe,
      trouble(what, error, ids) {
        count('troubles', 1, { what });
        const more = outages.next(what, error);
        if (more !== null) options.log.error({ ...ids, ...more, err: error }, what);
      },
    },
    onRequest({ method, route, status, seconds }) {
      const labels = { method, route: route ?? 'unmatched' };
      count('http_requests', 1, { ...labels, status: String(status) });
      observe('http_request_seconds', seconds, labels);
    },
    onLoopRound({ loop, found, seconds, ok }) {
      count('loop_rounds', 1, { loop, outcome: ok ? 'ok' : 'error' });
      if (found > 0) count('loop_found', found, { loop });
      observe('loop_round_seconds', seconds, { loop });
      if (ok) setGauge('loop_last_success', options.now() / 1000, { loop });
    },
    onCpuTask: (task) => count('cpu_pool_tasks', 1, task),
    onReplicaRead: (outcome) => count('replica_reads', 1, { outcome }),
    readGauge: (key, read) => void readers.set(key, read),
  };
}

/**
 * The usual figures of the process, except some: three gauges have names of counters, and the event
 * loop delays include the interval of the measurement.
 */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: TIMER_MS_MAX });
  for (const name of UNWANTED) registry.removeSingleMetric(name);
}

/** So its own measurement of the event loop never wakes the process. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const UNWANTED = [
  ...['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`),
  ...['', 'min_', 'max_', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_'].map(
    (what) => `nodejs_eventloop_lag_${what}seconds`,
  ),
];

const LABEL_VALUES_MAX = 100;

function entries(): readonly (readonly [MetricKey, MetricSpec])[] {
  return Object.entries(METRICS) as (readonly [MetricKey, MetricSpec])[];
}

function boundLabels(): (key: MetricKey, labels?: Labels) => Record<string, string> {
  const seen = new Map(
    entries().map(([key, { labels }]) => [
      key,
      labels.map((label) => ({ label, values: new Set<string>() })),
    ]),
  );
  return (key, labels) => {
    const kept: Record<string, string> = {};
    if (labels === undefined) return kept;
    for (const { label, values } of seen.get(key) ?? []) {
      const value = labels[label];
      if (value !== undefined) kept[label] = known(values, value);
    }
    return kept;
  };

  function known(values: Set<string>, value: string): string {
    if (values.has(value)) return value;
    if (values.size >= LABEL_VALUES_MAX) return 'other';
    values.add(value);
    return value;
  }
}

/**
 * A gauge without a value is omitted: a process without shards exports no 0. A reader that throws,
 * such as that of a closing pool, must not fail the whole scrape.
 */
function setReadings(
  gauge: Gauge,
  { labels: names }: MetricSpec,
  read: (() => readonly GaugeReading[]) | undefined,
): void {
  if (read === undefined && names.length > 0) return;
  gauge.reset();
  if (names.length === 0) gauge.remove();
  try {
    for (const { value, labels } of read?.() ?? []) gauge.set({ ...labels }, value);
  } catch {
    gauge.reset();
    if (names.length === 0) gauge.remove();
  }
}
