import { isIPv6 } from 'node:net';
import type { Config } from './config.ts';

/** The roles and listeners of one process. */
export type ProcessRole = 'api' | 'scheduler' | 'all';

const METRICS_PORTS: Readonly<Record<ProcessRole, number>> = {
  api: 9464,
  scheduler: 9465,
  all: 9464,
};

/**
 * The port of the listener for metrics and probes, or null for none. 0: any free port. Without
 * telemetry it serves only the probes, because health is not telemetry.
 */
export function metricsPort({ telemetry }: Config, role: ProcessRole): number | null {
  if (telemetry.metricsPort === 'off') return null;
  return telemetry.metricsPort ?? METRICS_PORTS[role];
}

/** The URL others reach the API at, without a slash at its end. `port` is the one bound. */
export function publicUrl({ runtime, api }: Config, port: number = runtime.port): string {
  const scheme = api.tls.certFile === null ? 'http' : 'https';
  const host = isIPv6(runtime.bind) ? `[${runtime.bind}]` : runtime.bind;
  return (runtime.publicUrl ?? `${scheme}://${host}:${port}`).replace(/\/+$/, '');
}
