import { startScheduler, type Scheduler } from '../scheduler/scheduler.ts';
import { MEMORY_QUOTAS, type MemoryTier } from '../shared/domain/memory/tiers.ts';
import type { EngineSettings } from '../shared/engine/deps.ts';
import type { Agents } from '../shared/engine/agents/agents.ts';
import { createAuditSealing } from '../shared/engine/audit/audit-sealing.ts';
import { createClusterWatch } from '../shared/engine/scheduling/cluster-watch.ts';
import { createRetaining, type RetentionSettings } from '../shared/engine/retention/retaining.ts';
import type { ScheduleFiring } from '../shared/engine/schedules/fire-schedules.ts';
import type { Scheduling } from '../shared/engine/scheduling/scheduling.ts';
import { systemTimers, type Timers } from '../shared/engine/scheduling/timers.ts';
import type { WebhookDelivering } from '../shared/engine/webhooks/deliver-webhooks.ts';
import type { Wake } from '../shared/ports/wake.ts';
import type { Store } from '../shared/store/store.ts';
import type { Metrics } from '../shared/telemetry/metrics.ts';
import { readClusterGauges } from './telemetry/cluster-gauges.ts';
import { ids } from './ids.ts';

/** Executions and in-engine nodes under way at a time, for each of `runtime.workers`. */
const UNDER_WAY_PER_WORKER = 250;

/** The scheduler role: its loops over the engine, and what they hold as gauges. */
export function bootScheduler(params: {
  readonly role: 'scheduler' | 'all';
  readonly workers: number;
  /** Key `memory.default_tier`. */
  readonly defaultTier: MemoryTier;
  readonly scheduling: Scheduling;
  readonly agents: Agents;
  readonly webhookDelivering: WebhookDelivering;
  readonly scheduleFiring: ScheduleFiring;
  readonly retention: RetentionSettings;
  readonly settings: EngineSettings;
  readonly store: Store;
  readonly wake: Wake;
  readonly metrics: Metrics;
  readonly timers?: Timers;
}): Scheduler {
  const { role, workers, scheduling, agents, webhookDelivering, scheduleFiring } = params;
  const { settings, store, wake, metrics, timers = systemTimers } = params;
  const { processId, version, host, leaseMs } = settings;
  const auditSealing = createAuditSealing(store);
  const clusterWatch = createClusterWatch({
    diagnosis: store.diagnosis,
    quotas: MEMORY_QUOTAS,
    defaultTier: params.defaultTier,
    now: () => timers.now(),
  });
  const scheduler = startScheduler({
    scheduling,
    agents,
    auditSealing,
    clusterWatch,
    webhookDelivering,
    scheduleFiring,
    retaining: createRetaining({
      stores: store,
      ids,
      timers,
      settings: params.retention,
      report: metrics.report,
    }),
    store,
    wake,
    settings: {
      processId,
      role,
      version,
      host,
      leaseMs,
      underWayMax: workers * UNDER_WAY_PER_WORKER,
    },
    random: Math.random,
    timers,
    onLoopRound: (round) => metrics.onLoopRound(round),
    trouble: (what, error, ids) => metrics.report.trouble(what, error, ids),
  });
  metrics.readGauge('shards_held', () => [{ value: scheduler.heldShards().length }]);
  metrics.readGauge('under_way', () => [{ value: scheduling.underWay() }]);
  metrics.readGauge('audit_unsealed_seconds', () => {
    const behindMs = auditSealing.behindMs();
    return behindMs === null ? [] : [{ value: behindMs / 1000 }];
  });
  readClusterGauges(metrics, clusterWatch);
  return scheduler;
}
