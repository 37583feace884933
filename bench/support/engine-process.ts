import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { composeRuntime } from '../../src/runtime/compose.ts';
import { underWayMaxOf } from '../../src/runtime/compose-scheduler.ts';
import { createProcessId } from '../../src/runtime/process-id.ts';
import { createCpu } from '../../src/scheduler/pool/pool.ts';
import type { Scheduler } from '../../src/scheduler/scheduler.ts';
import { DEFAULT_TENANT, executionIdFromUuid } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { startExecution } from '../../src/shared/engine/executions/start-execution.ts';
import { claimWork } from '../../src/shared/engine/work/claim-work.ts';
import { registerWorkflow } from '../../src/shared/engine/workflows/register-workflow.ts';
import type { EngineReport } from '../../src/shared/engine/report.ts';
import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';
import { connectRemoteWake, createWakeBus } from '../../src/shared/engine/wake/wake-bus.ts';
import { endedTopic } from '../../src/shared/engine/wake/awaited-ends.ts';
import { createRunners } from '../../src/shared/nodes/create-runners.ts';
import { createKindRegistry, NODE_KINDS } from '../../src/shared/nodes/index.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import { subgraphKind } from '../../src/shared/nodes/subgraph/kind.ts';
import { createSafeFetch } from '../../src/shared/security/safe-fetch.ts';
import { createSecretBox } from '../../src/shared/security/secret-box.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import { createMetrics } from '../../src/shared/telemetry/metrics.ts';
import { createNoopRunner, noopKind } from './noop-kind.ts';
import type { BenchAddress } from './workload.ts';

/*
 * The engine as in a process of the product, with all loops of the scheduler, its metrics and its
 * thread pool. It is composed separately, because the product has no node kind that does nothing.
 */

export interface EngineProcess {
  /** Registers a workflow under the given name. */
  register(workflowId: string, graph: JsonObject): Promise<void>;
  start(workflowId: string, input?: JsonObject): Promise<void>;
  /** Starts an execution and resolves when it has ended. */
  run(workflowId: string, input?: JsonObject): Promise<void>;
  startScheduler(): void;
  /** Waits for an item as long as the API allows; also resolves without one. */
  longPoll(workerId: string, signal: AbortSignal): Promise<void>;
  /** The number of executions that have ended in this process. */
  ended(): number;
  /** The number of this process's commits that the store refused as outdated. */
  refused(): number;
  close(): Promise<void>;
}

/** Differences to a process with default settings. */
export interface EngineVariant {
  readonly poolSize?: number;
  /** False: the metrics ignore the engine's reports. */
  readonly metered?: boolean;
  /** The timers of the engine and its loops. */
  readonly timers?: Timers;
}

const BY = { tenantId: DEFAULT_TENANT, actorId: 'token:bench' };
/** The default of `runtime.workers` on a machine with two cores. */
const WORKERS = 2;
/** As by default. */
const POOL_SIZE = 10;
export const MAX_OVERFLOW = 5;
const LEASE_MS = 30_000;
const LONG_POLL_MS = 20_000;
const END_MS_MAX = 60_000;
const NO_SECRETS = createSecretBox({
  keys: { all: () => [], newest: () => null },
  randomBytes,
});

export async function openEngine(given: {
  readonly database: BenchAddress;
  readonly runner?: NodeRunner;
  readonly onEnded?: () => void;
  readonly variant?: EngineVariant;
}): Promise<EngineProcess> {
  const { database, onEnded } = given;
  const { poolSize = POOL_SIZE, metered = true, timers } = given.variant ?? {};
  const { dialect, url } = database;
  const store = await openStore({
    database:
      dialect === 'sqlite'
        ? { dialect, path: url }
        : { dialect, url, poolSize, maxOverflow: MAX_OVERFLOW },
    applicationName: 'svc-bench',
  });
  const settings = {
    leaseMs: LEASE_MS,
    processId: createProcessId(),
    version: '0',
    descendantsMax: 20_000,
    inputBytesMax: 4_194_304,
    host: hostname(),
  };
  const metrics = createMetrics({ version: '0', role: 'all', log: { error: fail }, now: Date.now });
  const counts = { ended: 0, refused: 0 };
  const report: EngineReport = {
    ...metrics.report,
    count(name, by, labels) {
      if (name === 'commit_refusals') counts.refused += by;
      if (metered) metrics.report.count(name, by, labels);
    },
    observe(name, value, labels) {
      if (name === 'execution_seconds') {
        counts.ended += 1;
        onEnded?.();
      }
      if (metered) metrics.report.observe(name, value, labels);
    },
  };
  const wake = createWakeBus();
  await connectRemoteWake({ bus: wake, remote: store.wake });
  const cpu = createCpu({ threads: WORKERS });
  const composed = composeRuntime({
    store,
    wake,
    cpu,
    settings,
    report,
    ...(timers !== undefined && { timers }),
    kinds: createKindRegistry([...NODE_KINDS, noopKind]),
    runners: (ports) =>
      new Map([
        ...createRunners([subgraphKind], ports),
        ...createRunners([noopKind], given.runner ?? createNoopRunner()),
      ]),
  });
  const { engine } = composed;
  const { ids } = engine;
  let scheduler: Scheduler | null = null;

  async function start(
    workflowId: string,
    input: JsonObject = {},
    executionId = executionIdFromUuid(ids.uuid()),
  ): Promise<void> {
    await startExecution(engine, BY, {
      executionId,
      workflowId,
      workflowVersion: null,
      input,
      priority: 5,
      idempotencyKey: null,
    });
  }

  return {
    async register(workflowId, graph) {
      await registerWorkflow(engine, BY, { ir: { workflow_id: workflowId, ...graph } });
    },
    start: (workflowId, input) => start(workflowId, input),
    async run(workflowId, input) {
      const executionId = executionIdFromUuid(ids.uuid());
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = wake.subscribe(endedTopic(executionId), () => resolve());
      const late = setTimeout(() => reject(new Error(`${executionId} does not end`)), END_MS_MAX);
      try {
        // With pure nodes alone, the execution has ended when this resolves.
        await start(workflowId, input, executionId);
        await promise;
      } finally {
        clearTimeout(late);
        end();
      }
    },
    async longPoll(workerId, signal) {
      await claimWork(engine, BY, {
        workerId,
        queues: ['python_tool'],
        maxItems: 1,
        waitMs: LONG_POLL_MS,
        signal,
        host: 'bench',
        version: '0',
      });
    },
    startScheduler() {
      scheduler = composed.startScheduler({
        role: 'all',
        underWayMax: underWayMaxOf(WORKERS),
        defaultTier: 'free',
        retention: {
          defaults: { completed: 0, failed: 0, cancelled: 0 },
          replayMs: null,
          unusedArtifactMs: null,
        },
        agents: { store: store.agents, settings: { heartbeatTimeoutMs: 60_000 } },
        webhooks: { http: createSafeFetch({ allowPrivate: true }), secrets: NO_SECRETS },
        report: metrics.report,
        metrics,
      });
    },
    ended: () => counts.ended,
    refused: () => counts.refused,
    async close() {
      await scheduler?.stop({ deadlineMs: 5_000 });
      await cpu.close();
      await store.close();
    },
  };
}

/** An error during a measurement ends the workload. */
function fail(fields: Readonly<Record<string, unknown>>, message: string): never {
  throw new Error(message, { cause: fields });
}
