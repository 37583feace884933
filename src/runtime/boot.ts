import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Config } from '../shared/config/config.ts';
import type { RetentionSettings } from '../shared/engine/retention/retaining.ts';
import { createSafeFetch } from '../shared/security/safe-fetch.ts';
import type { Store } from '../shared/store/store.ts';
import type { GaugeReading, Metrics } from '../shared/telemetry/metrics.ts';
import { announceApi } from './announce-api.ts';
import { bootApi, type ProcessApi } from './api.ts';
import { archiveTo } from './archive-to.ts';
import type { Boot } from './boot-options.ts';
import { underWayMaxOf } from './compose-scheduler.ts';
import { bootEngine, type EngineParts } from './engine.ts';
import { claimDatabaseFile, openDatabase } from './database/open-database.ts';
import { bootMetrics, startProbes } from './telemetry/probes.ts';
import { retentionTimes } from './retention-times.ts';
import { systemFacts } from './system-facts.ts';
import { readVersion } from './version.ts';

export interface BootedRuntime {
  /** Where the API listens; null without a listener. */
  readonly url: string | null;
  /** The HTTP API; null without that role. */
  readonly handler: RequestListener | null;
  /** Takes on nothing more; resolves when everything is finished, given back or cut off. */
  stop(params: { readonly leaveMs: number; readonly deadlineMs: number }): Promise<void>;
}

/**
 * Builds a process from its configuration, from the ground up: database, engine, listeners, loops. The
 * loops begin once all ports are this process's, and within one turn of the event loop, so the probes never
 * report an unready process as ready. A failed start closes everything that it has opened, and so does one that
 * the signal breaks off. Once the API listens, the signal breaks off nothing: the caller stops the runtime.
 */
export async function boot(params: Boot): Promise<BootedRuntime> {
  const opened = new AsyncDisposableStack();
  try {
    return await bootOnto(opened, params);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function bootOnto(opened: AsyncDisposableStack, params: Boot): Promise<BootedRuntime> {
  const { config, role, log, signal } = params;
  const version = readVersion();
  const metrics = await bootMetrics({ config, role, version, log });
  const store = await openStoreOf({ ...params, metrics }, opened);
  metrics.readGauge('database_connections', () => readPool(store));
  const parts = await bootEngine({ ...params, version, metrics, store, opened });
  signal.throwIfAborted();

  const given = { ...params, ...parts, store, metrics, opened };
  const api = role === 'scheduler' ? null : await startApi(given);
  const draining = new AbortController();
  let scheduler: Scheduler | null = null;
  await startProbes({
    ...given,
    loops: role === 'api' ? null : () => scheduler?.health().loops ?? [],
    draining: draining.signal,
  });
  // An API that listens may have requests, which only a stop lets finish.
  if (!api?.server) signal.throwIfAborted();
  if (role === 'api') announceSelf(given);
  else scheduler = startLoops(given, role);
  const url = api?.server?.url ?? null;
  log.info({ url }, url === null ? describeSilent(api) : `listening on ${url}`);
  return {
    url,
    handler: api?.handler ?? null,
    async stop({ leaveMs, deadlineMs }) {
      draining.abort();
      api?.leave();
      await delay(leaveMs);
      // Side by side: requests under way need no scheduler, and its work needs no requests.
      await Promise.all([api?.close({ deadlineMs }), scheduler?.stop({ deadlineMs })]);
      await opened.disposeAsync();
    },
  };
}

function describeSilent(api: ProcessApi | null): string {
  return api === null ? 'scheduling' : 'ready to handle requests';
}

async function openStoreOf(
  params: Boot & { readonly metrics: Metrics },
  opened: AsyncDisposableStack,
): Promise<Store> {
  const { config, database, role, log, signal, metrics } = params;
  const isFile = params.store === undefined && database.dialect === 'sqlite';
  if (isFile) opened.use(await claimDatabaseFile(database.path));
  const applicationName = `svc-${role}`;
  const waitMs = params.databaseWaitMs;
  const store =
    params.store ??
    (await openDatabase({ database, config, applicationName, waitMs, log, signal, metrics }));
  opened.defer(() => store.close());
  return store;
}

type Parts = EngineParts & {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly opened: AsyncDisposableStack;
};

async function startApi(params: Boot & Parts): Promise<ProcessApi> {
  const { store, opened } = params;
  const { listens = true, showCommand = (text: string) => text } = params;
  const system = systemFacts({ ...params, aside: (work) => store.aside(work) });
  const api = await bootApi({ ...params, system, listens, showCommand });
  // Closing a second time, after an orderly stop, does nothing.
  opened.defer(() => api.close({ deadlineMs: 0 }));
  return api;
}

/** An API without loops beside it. */
function announceSelf({ store, metrics, settings, opened }: Parts): void {
  const announced = announceApi({ workers: store.workers, report: metrics.report, ...settings });
  opened.defer(() => announced.stop());
}

function startLoops(params: Boot & Parts, role: 'scheduler' | 'all'): Scheduler {
  const { config, startScheduler, store, metrics, opened } = params;
  const scheduler = startScheduler({
    role,
    underWayMax: underWayMaxOf(config.runtime.workers),
    defaultTier: config.memory.defaultTier,
    agents: params.agents,
    webhooks: {
      http: createSafeFetch({
        allowPrivate: config.webhooks.allowPrivateNetworks,
        setting: 'webhooks.allow_private_networks',
      }),
      secrets: params.secrets,
    },
    retention: readRetention(config, store),
    report: metrics.report,
    metrics,
  });
  opened.defer(() => scheduler.close());
  opened.defer(() => scheduler.stop({ deadlineMs: 0 }));
  return scheduler;
}

function readRetention(config: Config, store: Store): RetentionSettings {
  const { archiveDir } = config.retention;
  return {
    ...retentionTimes(config),
    ...(archiveDir !== null && { archive: archiveTo(archiveDir, store) }),
  };
}

function readPool(store: Store): readonly GaugeReading[] {
  return Object.entries(store.poolUse()).map(([state, value]) => ({ value, labels: { state } }));
}
