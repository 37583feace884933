import { startScheduler, type Scheduler, type SchedulerDeps } from '../scheduler/scheduler.ts';
import { MEMORY_QUOTAS, type MemoryTier } from '../shared/domain/memory/tiers.ts';
import type { AgentsDeps } from '../shared/engine/agents/deps.ts';
import { pauseSilentAgents } from '../shared/engine/agents/pause-silent-agents.ts';
import { createAuditSealing } from '../shared/engine/audit/audit-sealing.ts';
import { cancelExecution } from '../shared/engine/executions/cancel-execution.ts';
import { startExecution } from '../shared/engine/executions/start-execution.ts';
import type { EngineReport } from '../shared/engine/report.ts';
import { createRetaining, type RetentionSettings } from '../shared/engine/retention/retaining.ts';
import { createScheduleFiring } from '../shared/engine/schedules/fire-schedules.ts';
import { createClusterWatch } from '../shared/engine/scheduling/cluster-watch.ts';
import type { Scheduling } from '../shared/engine/scheduling/scheduling.ts';
import type { UseCaseDeps } from '../shared/engine/use-case-deps.ts';
import { createWebhookDelivering } from '../shared/engine/webhooks/deliver-webhooks.ts';
import type { Http } from '../shared/ports/http.ts';
import type { SecretBox } from '../shared/ports/secret-box.ts';
import type { Metrics } from '../shared/telemetry/metrics.ts';
import { readClusterGauges } from './telemetry/cluster-gauges.ts';

/** The loops need these beside the engine. */
export interface SchedulerPorts {
  readonly role: 'scheduler' | 'all';
  /** Executions and in-engine nodes under way at a time; see `underWayMaxOf`. */
  readonly underWayMax: number;
  /** Key `memory.default_tier`. */
  readonly defaultTier: MemoryTier;
  readonly agents: Pick<AgentsDeps, 'store' | 'settings'>;
  readonly webhooks: {
    /** The way to the receivers. */
    readonly http: Http;
    readonly secrets: SecretBox;
    /** From 0 to 1; absent: `random`. */
    readonly random?: () => number;
  };
  readonly retention: RetentionSettings;
  readonly report: EngineReport;
  /** From 0 to 1; absent: the system's. */
  readonly random?: () => number;
  /** Counts the rounds and reads gauges; absent: nobody does. */
  readonly metrics?: Metrics;
  /** Work that is left undone: what a history of the simulation is not about rests, to save time. */
  readonly resting?: readonly SideWork[];
}

/** Loops of the scheduler beside those for executions. */
export type SideWork =
  'agents' | 'auditSealing' | 'clusterWatch' | 'retaining' | 'scheduleFiring' | 'webhookDelivering';

export interface ComposedScheduler extends Scheduler {
  /** Breaks off what `stop` has left under way. */
  close(): Promise<void>;
}

const UNDER_WAY_PER_WORKER = 250;

/** `workers`: key `runtime.workers`. */
export function underWayMaxOf(workers: number): number {
  return workers * UNDER_WAY_PER_WORKER;
}

/** The scheduler role: its loops over the engine, and what they hold as gauges. */
export function composeScheduler(
  core: { readonly engine: UseCaseDeps; readonly scheduling: Scheduling },
  ports: SchedulerPorts,
): ComposedScheduler {
  const { engine, scheduling } = core;
  const { role, underWayMax, report, metrics, random = Math.random } = ports;
  const { store, wake, timers, settings } = engine;
  const { processId, version, host, leaseMs } = settings;
  const work = createSideWork(engine, { ...ports, random });
  const scheduler = startScheduler({
    scheduling,
    ...work,
    ...atRest(ports.resting ?? []),
    store,
    wake,
    settings: { processId, role, version, host, leaseMs, underWayMax },
    random,
    timers,
    ...(metrics !== undefined && { onLoopRound: (round) => metrics.onLoopRound(round) }),
    trouble: (what, error, ids) => report.trouble(what, error, ids),
  });
  if (metrics !== undefined) readGauges(metrics, { scheduler, scheduling, ...work });
  return { ...scheduler, close: () => work.webhookDelivering.close() };
}

function createSideWork(
  engine: UseCaseDeps,
  ports: SchedulerPorts & { readonly random: () => number },
) {
  const { store, wake, timers, ids } = engine;
  const { agents, webhooks, report, random, defaultTier } = ports;
  return {
    agents: {
      pauseSilent: (limits: { readonly limit: number }) => pauseSilentAgents(agents, limits),
    },
    auditSealing: createAuditSealing(store, timers),
    clusterWatch: createClusterWatch({
      diagnosis: store.diagnosis,
      quotas: MEMORY_QUOTAS,
      defaultTier,
      now: () => timers.now(),
    }),
    retaining: createRetaining({ stores: store, ids, timers, settings: ports.retention, report }),
    scheduleFiring: createScheduleFiring({
      store: store.schedules,
      executions: store.executions,
      start: (caller, start) => startExecution(engine, caller, start),
      cancel: (caller, ref) => cancelExecution(engine, caller, ref),
      wake,
      report,
    }),
    webhookDelivering: createWebhookDelivering({
      store: store.webhooks,
      report,
      random,
      ...webhooks,
    }),
  };
}

function atRest(resting: readonly SideWork[]): Partial<Pick<SchedulerDeps, SideWork>> {
  const found = { found: 0, more: false };
  const round = async () => ({ ...found, dueInMs: null });
  const work = { round, pauseSilent: round };
  return Object.fromEntries(resting.map((name) => [name, work]));
}

function readGauges(
  metrics: Metrics,
  of: ReturnType<typeof createSideWork> & {
    readonly scheduler: Scheduler;
    readonly scheduling: Scheduling;
  },
): void {
  metrics.readGauge('shards_held', () => [{ value: of.scheduler.heldShards().length }]);
  metrics.readGauge('under_way', () => [{ value: of.scheduling.underWay() }]);
  metrics.readGauge('audit_unsealed_seconds', () => {
    const behindMs = of.auditSealing.behindMs();
    return behindMs === null ? [] : [{ value: behindMs / 1000 }];
  });
  readClusterGauges(metrics, of.clusterWatch);
}
