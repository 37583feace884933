import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { createCpu } from '../scheduler/pool/pool.ts';
import type { Config } from '../shared/config/config.ts';
import type { AgentsDeps } from '../shared/engine/agents/deps.ts';
import type { EngineSettings } from '../shared/engine/deps.ts';
import { readExecution } from '../shared/engine/executions/read-execution.ts';
import { showError } from '../shared/engine/executions/show-error.ts';
import type { MemoryDeps } from '../shared/engine/memory/deps.ts';
import { createRecaller } from '../shared/engine/memory/recaller.ts';
import type { EngineReport } from '../shared/engine/report.ts';
import type { UseCaseDeps } from '../shared/engine/use-case-deps.ts';
import { connectRemoteWake, createWakeBus, PLACES_TOPIC } from '../shared/engine/wake/wake-bus.ts';
import { createKindRegistry, NODE_KINDS } from '../shared/nodes/index.ts';
import type { SecretBox } from '../shared/ports/secret-box.ts';
import type { Wake } from '../shared/ports/wake.ts';
import { createPseudonym } from '../shared/security/pseudonym.ts';
import { createSafeFetch } from '../shared/security/safe-fetch.ts';
import { createSecretBox, type EncryptionKeys } from '../shared/security/secret-box.ts';
import type { Store } from '../shared/store/store.ts';
import type { Metrics } from '../shared/telemetry/metrics.ts';
import type { Tracing } from '../shared/telemetry/tracing/tracing.ts';
import type { Boot } from './boot-options.ts';
import { composeRuntime, type ComposedRuntime } from './compose.ts';
import { readEncryptionKeys } from './encryption-keys.ts';
import { ids } from './ids.ts';
import { logAttempts } from './telemetry/log-what-happens.ts';
import { bootMemory } from './memory.ts';
import { readPrices } from './models.ts';
import { bootRunners } from './runners.ts';
import { bootSecrets } from './tools.ts';
import { bootTracing, withTracing } from './telemetry/tracing.ts';

/** The engine of a process, and what stands beside it in both roles. */
export interface EngineParts {
  readonly engine: UseCaseDeps;
  readonly startScheduler: ComposedRuntime['startScheduler'];
  readonly agents: AgentsDeps;
  readonly memory: MemoryDeps;
  readonly secrets: SecretBox;
  readonly keys: EncryptionKeys;
  readonly settings: EngineSettings;
  readonly wake: Wake;
  readonly traceparentOf?: Tracing['traceparentOf'];
}

type Given = Boot & {
  readonly version: string;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly opened: AsyncDisposableStack;
};

export async function bootEngine(params: Given): Promise<EngineParts> {
  const { config, database, store, metrics, opened, env } = params;
  const wake = createWakeBus({
    onListenerError: (error) => metrics.report.trouble('a wake-up listener failed', error),
  });
  await connectRemoteWake({ bus: wake, remote: store.wake });
  // The process that looks at the waits answers with who waits, see `admission/awaited-places.ts`.
  wake.notify([PLACES_TOPIC]);
  const settings = engineSettings(params);
  // Parts that need the engine get it lazily, because it is created after them.
  const later = () => engine;
  const cpu = bootCpu(params, later);
  const tracing = await bootTraces(params, later);
  const keys = readEncryptionKeys({ config, database });
  const memory = bootMemory({ config, database, store, scanner: cpu, metrics, opened });
  const own = params.kinds ?? [];
  const runners = bootRunners({
    config,
    env,
    cpu,
    opened,
    history: store.executions,
    agents: store.agents,
    memory: createRecaller(memory),
    kinds: own,
  });
  const { engine, startScheduler } = composeRuntime({
    pseudonym: createPseudonym(keys),
    prices: readPrices(config),
    store,
    wake,
    ...(params.timers !== undefined && { timers: params.timers }),
    cpu,
    settings,
    report: reportOf(params, { tracing, later }),
    kinds: createKindRegistry([...NODE_KINDS, ...own]),
    secretRules: bootSecrets({ config, env }),
    runners,
  });
  const secrets = createSecretBox({ keys, randomBytes });
  return {
    engine,
    startScheduler,
    agents: agentsDeps(config, store),
    memory,
    secrets,
    keys,
    settings,
    wake,
    ...(tracing !== null && { traceparentOf: tracing.traceparentOf }),
  };
}

function engineSettings(given: Given): EngineSettings {
  const { config, processId, version, failsMisfits = false } = given;
  return {
    leaseMs: config.scheduler.leaseSeconds * 1000,
    descendantsMax: config.scheduler.maxDescendants,
    inputBytesMax: config.api.bodyBytesMax,
    processId,
    version,
    host: hostname(),
    ...(failsMisfits && { failsMisfits }),
  };
}

function bootCpu({ config, metrics, opened }: Given, engine: () => UseCaseDeps) {
  const cpu = createCpu({
    threads: config.runtime.workers,
    cpuSecondsMaxOf: async (tenantId) =>
      (await engine().tenants.find(tenantId))?.limits.max_cpu_seconds_per_minute ?? null,
    onTask: (task) => metrics.onCpuTask(task),
    onThreadError: (error) => metrics.report.trouble('a worker thread failed', error),
  });
  opened.defer(() => cpu.close());
  metrics.readGauge('cpu_pool_threads', () => [{ value: cpu.use().threads }]);
  metrics.readGauge('cpu_pool_waiting', () => [{ value: cpu.use().waiting }]);
  return cpu;
}

function bootTraces(params: Given, engine: () => UseCaseDeps): Promise<Tracing | null> {
  return bootTracing({
    ...params,
    report: params.metrics.report,
    shownError: (of) => showError(engine(), of),
    costOf: async (of) => (await readExecution(engine(), of, of)).state.usage.costUsd,
  });
}

function reportOf(
  { config, log, metrics }: Given,
  { tracing, later }: { readonly tracing: Tracing | null; readonly later: () => UseCaseDeps },
): EngineReport {
  return logAttempts({
    log,
    report: withTracing(metrics.report, tracing),
    // A state that the log leaves out is not read.
    stateOf: config.logging.redactState
      ? null
      : async (of) => (await readExecution(later(), of, of)).state.data,
  });
}

function agentsDeps(config: Config, store: Store): AgentsDeps {
  return {
    store: store.agents,
    ids,
    http: createSafeFetch({
      allowPrivate: config.agents.allowPrivateNetworks,
      setting: 'agents.allow_private_networks',
    }),
    now: () => performance.now(),
    settings: { heartbeatTimeoutMs: config.agents.heartbeatTimeout * 1000 },
  };
}
