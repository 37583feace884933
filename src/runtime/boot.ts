import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { ApiServer } from '../api/server.ts';
import { createCpu } from '../scheduler/pool/pool.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Config } from '../shared/config/config.ts';
import type { DatabaseLocation } from '../shared/config/database-url.ts';
import type { ProcessRole } from '../shared/config/listeners.ts';
import type { Agents } from '../shared/engine/agents/agents.ts';
import { createAgents } from '../shared/engine/agents/create-agents.ts';
import { createEngine } from '../shared/engine/create-engine.ts';
import type { EngineSettings } from '../shared/engine/deps.ts';
import type { Memory } from '../shared/engine/memory/memory.ts';
import type { RetentionSettings } from '../shared/engine/retention/retaining.ts';
import { createScheduleFiring } from '../shared/engine/schedules/fire-schedules.ts';
import { connectRemoteWake, createWakeBus } from '../shared/engine/wake/wake-bus.ts';
import {
  createWebhookDelivering,
  type WebhookDelivering,
} from '../shared/engine/webhooks/deliver-webhooks.ts';
import { builtInKinds } from '../shared/nodes/index.ts';
import type { Wake } from '../shared/ports/wake.ts';
import type { SecretBox } from '../shared/ports/secret-box.ts';
import { createPseudonym } from '../shared/security/pseudonym.ts';
import { createSecretBox } from '../shared/security/secret-box.ts';
import { createSafeFetch } from '../shared/security/safe-fetch.ts';
import type { Store } from '../shared/store/store.ts';
import type { Logger } from '../shared/telemetry/log.ts';
import type { Tracing } from '../shared/telemetry/tracing/tracing.ts';
import type { GaugeReading, Metrics } from '../shared/telemetry/metrics.ts';
import { readPrices } from './models.ts';
import { archiveTo } from './archive-to.ts';
import { announceApi } from './announce-api.ts';
import { bootApi } from './api.ts';
import { bootMemory } from './memory.ts';
import { bootMetrics, startProbes } from './probes.ts';
import { bootRunners } from './runners.ts';
import { bootScheduler } from './scheduler.ts';
import { bootTracing, withTracing } from './tracing.ts';
import { bootSecrets } from './tools.ts';
import type { Runtime } from '../../bin/boot/drain.ts';
import { logAttempts } from './log-what-happens.ts';
import { readEncryptionKeys } from './encryption-keys.ts';
import { ids } from './ids.ts';
import { claimDatabaseFile, openDatabase } from './open-database.ts';
import { retentionTimes } from './retention-times.ts';
import { readVersion } from './version.ts';

export interface Boot {
  readonly config: Config;
  readonly database: DatabaseLocation;
  /** Already open, in place of `database`; closed with the runtime. */
  readonly store?: Store;
  readonly role: ProcessRole;
  readonly processId: string;
  readonly log: Logger;
  readonly databaseWaitMs: number;
  /** Breaks the start off. */
  readonly signal: AbortSignal;
}

export interface BootedRuntime extends Runtime {
  /** Where the API listens; null without one. */
  readonly url: string | null;
}

/**
 * Builds a process from its configuration, from the ground up: database, engine, the roles. The
 * probes' listener comes last, so it never calls a process ready that is not. What a failed start
 * has opened by then is closed again.
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
  const { config, database, role, processId, log, databaseWaitMs, signal } = params;
  const version = readVersion();
  const metrics = await bootMetrics({ config, role, version, log });
  const isFile = params.store === undefined && database.dialect === 'sqlite';
  if (isFile) opened.use(await claimDatabaseFile(database.path));
  const applicationName = `svc-${role}`;
  const waitMs = databaseWaitMs;
  const store =
    params.store ??
    (await openDatabase({ database, config, applicationName, waitMs, log, signal }));
  opened.defer(() => store.close());
  metrics.readGauge('database_connections', () => readPool(store));

  const wake = createWakeBus({
    onListenerError: (error) => metrics.report.trouble('a wake-up listener failed', error),
  });
  await connectRemoteWake({ bus: wake, remote: store.wake });
  const cpu = createCpu({
    threads: config.runtime.workers,
    // Nothing is checked before the engine is there.
    cpuSecondsMaxOf: async (tenantId) =>
      (await engine.knowTenant(tenantId))?.limits.max_cpu_seconds_per_minute ?? null,
    onTask: (task) => metrics.onCpuTask(task),
    onThreadError: (error) => metrics.report.trouble('a worker thread failed', error),
  });
  opened.defer(() => cpu.close());
  metrics.readGauge('cpu_pool_threads', () => [{ value: cpu.use().threads }]);
  metrics.readGauge('cpu_pool_waiting', () => [{ value: cpu.use().waiting }]);
  const settings = {
    leaseMs: config.scheduler.leaseSeconds * 1000,
    descendantsMax: config.scheduler.maxDescendants,
    processId,
    version,
    host: hostname(),
  };
  const { report } = metrics;
  const tracing = await bootTracing({
    ...params,
    version,
    store,
    report,
    // Who reports is the engine, so it is there by the time.
    shownError: (of) => engine.shownError(of),
    costOf: async (of) => (await engine.readExecution(of)).state.usage.costUsd,
    opened,
  });
  const keys = readEncryptionKeys({ config, database });
  const memory = bootMemory({ config, database, store, scanner: cpu, metrics, opened });
  const engine = createEngine({
    pseudonym: createPseudonym(keys),
    prices: readPrices(config),
    store,
    ids,
    wake,
    cpu,
    settings,
    report: logAttempts({
      log,
      report: withTracing(report, tracing),
      // Read for nothing where it would be left out.
      stateOf: config.logging.redactState
        ? null
        : async (of) => (await engine.readExecution(of)).state.data,
    }),
    kinds: builtInKinds,
    secretRules: bootSecrets({ config, env: process.env }),
    runners: bootRunners({
      config,
      env: process.env,
      cpu,
      opened,
      history: store.executions,
      agents: store.agents,
      memory,
    }),
  });
  const agents = createAgents({
    store: store.agents,
    ids,
    http: createSafeFetch({
      allowPrivate: config.agents.allowPrivateNetworks,
      setting: 'agents.allow_private_networks',
    }),
    now: () => performance.now(),
    settings: { heartbeatTimeoutMs: config.agents.heartbeatTimeout * 1000 },
  });
  const secrets = createSecretBox({ keys, randomBytes });
  const webhookDelivering = createWebhookDelivering({
    store: store.webhooks,
    http: createSafeFetch({
      allowPrivate: config.webhooks.allowPrivateNetworks,
      setting: 'webhooks.allow_private_networks',
    }),
    secrets,
    report: metrics.report,
    random: Math.random,
  });
  opened.defer(() => webhookDelivering.close());
  signal.throwIfAborted();

  const { api, scheduler } = await startRoles({
    ...params,
    memory,
    engine,
    agents,
    secrets,
    webhookDelivering,
    settings,
    store,
    wake,
    metrics,
    opened,
    ...(tracing !== null && { traceparentOf: tracing.traceparentOf }),
  });
  const draining = new AbortController();
  await startProbes({ ...params, metrics, store, scheduler, draining: draining.signal, opened });
  log.info({ url: api?.url }, api === null ? 'scheduling' : `listening on ${api.url}`);
  return {
    url: api?.url ?? null,
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

async function startRoles(
  params: Boot & {
    readonly memory: Memory;
    readonly engine: ReturnType<typeof createEngine>;
    readonly agents: Agents;
    readonly secrets: SecretBox;
    readonly webhookDelivering: WebhookDelivering;
    readonly settings: EngineSettings;
    readonly store: Store;
    readonly wake: Wake;
    readonly metrics: Metrics;
    readonly opened: AsyncDisposableStack;
    readonly traceparentOf?: Tracing['traceparentOf'];
  },
): Promise<{ readonly api: ApiServer | null; readonly scheduler: Scheduler | null }> {
  const { role, config, engine, settings, store, metrics, opened } = params;
  const api = role === 'scheduler' ? null : await bootApi(params);
  // Closing a second time, after an orderly stop, does nothing.
  if (api !== null) opened.defer(() => api.close({ deadlineMs: 0 }));
  if (role === 'api') {
    const announced = announceApi({ workers: store.workers, report: metrics.report, ...settings });
    opened.defer(() => announced.stop());
    return { api, scheduler: null };
  }
  const { workers } = config.runtime;
  const { wake } = params;
  const scheduleFiring = createScheduleFiring({
    store: store.schedules,
    executions: store.executions,
    audit: store.audit,
    engine,
    wake,
    report: metrics.report,
  });
  const { scheduling } = engine;
  const { defaultTier } = config.memory;
  const own = { role, workers, defaultTier, scheduling, scheduleFiring } as const;
  const scheduler = bootScheduler({ ...params, ...own, retention: readRetention(config, store) });
  opened.defer(() => scheduler.stop({ deadlineMs: 0 }));
  return { api, scheduler };
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
