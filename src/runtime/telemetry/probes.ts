import type { SchedulerHealth } from '../../scheduler/scheduler.ts';
import type { Config } from '../../shared/config/config.ts';
import { metricsPort, type ProcessRole } from '../../shared/config/listeners.ts';
import type { Store } from '../../shared/store/store.ts';
import type { Logger } from '../../shared/telemetry/log.ts';
import type { Metrics } from '../../shared/telemetry/metrics.ts';
import { listen, PING_MS_MAX } from '../api.ts';
import { readVersion } from '../version.ts';

/** Without a listener nobody can read them, and nothing is counted. */
export async function bootMetrics(params: {
  readonly config: Config;
  readonly role: ProcessRole;
  readonly version: string;
  readonly log: Logger;
}): Promise<Metrics> {
  const { config, role, version, log } = params;
  if (!config.telemetry.enabled || metricsPort(config, role) === null) {
    const { createNoMetrics } = await import('../../shared/telemetry/no-metrics.ts');
    return createNoMetrics({ log, now: Date.now });
  }
  const { createMetrics } = await import('../../shared/telemetry/metrics.ts');
  return createMetrics({ version, role, log, now: Date.now });
}

/** The listener for metrics and probes, unless the configuration wants none. */
export async function startProbes(params: {
  readonly config: Config;
  readonly role: ProcessRole;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  /** Health of the scheduler's loops; null without that role. */
  readonly loops: (() => SchedulerHealth['loops']) | null;
  /** Aborted when the process begins to stop: it is not ready from then on. */
  readonly draining: AbortSignal;
  readonly opened: AsyncDisposableStack;
}): Promise<void> {
  const { config, role, log, metrics, store, loops, draining, opened } = params;
  const port = metricsPort(config, role);
  if (port === null) return;
  const { registry } = metrics;
  const { startOpsServer } = await import('../../shared/telemetry/ops-server.ts');
  const server = await listen(() =>
    startOpsServer({
      host: config.runtime.bind,
      port,
      version: readVersion(),
      registry,
      ping: () => store.ping({ timeoutMs: PING_MS_MAX }),
      draining,
      ...(loops !== null && { loops }),
    }),
  );
  opened.defer(() => server.close());
  const what = registry === null ? 'probes' : 'metrics and probes';
  log.info({ port: server.port }, `${what} on ${server.url}`);
}
