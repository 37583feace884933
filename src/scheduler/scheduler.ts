import { SCHEDULERS_TOPIC, EVERY_TOPIC } from '../shared/engine/wake/wake-bus.ts';
import type { Scheduling } from '../shared/engine/scheduling/scheduling.ts';
import type { Wake } from '../shared/ports/wake.ts';
import { createActivity } from './activity.ts';
import { createDuty } from './duty.ts';
import { startLoop } from './loop.ts';
import type { Loop, LoopHealth } from './loop.ts';
import { admitChildren } from './loops/admit-children.ts';
import { admitQuotaItems } from './loops/admit-quota-items.ts';
import { advanceExecutions } from './loops/advance-executions.ts';
import { announceWorker } from './loops/announce-worker.ts';
import { deliverWebhooks } from './loops/deliver-webhooks.ts';
import { expireQueued } from './loops/expire-queued.ts';
import { fireSchedules } from './loops/fire-schedules.ts';
import { fireTimers } from './loops/fire-timers.ts';
import { holdShards } from './loops/hold-shards.ts';
import { createLookout, lookAround } from './loops/look-around.ts';
import type { LoopContext, LoopDefinition, SchedulerStore } from './loops/loop-context.ts';
import type { HeldShards, SchedulerSettings } from './loops/loop-context.ts';
import { pauseSilentAgents } from './loops/pause-silent-agents.ts';
import { prune } from './loops/prune.ts';
import { reclaimLeases } from './loops/reclaim-leases.ts';
import { renewOwnLeases } from './loops/renew-own-leases.ts';
import { runNodes } from './loops/run-nodes.ts';
import { retain } from './loops/retain.ts';
import { sealAudit } from './loops/seal-audit.ts';
import { sweepWorkflowPauses } from './loops/sweep-workflow-pauses.ts';
import { watchCluster } from './loops/watch-cluster.ts';
import { stopWithin } from './stop-within.ts';
import { systemTimers } from '../shared/engine/scheduling/timers.ts';
import type { Timers } from '../shared/engine/scheduling/timers.ts';

export interface SchedulerDeps {
  readonly scheduling: Scheduling;
  readonly agents: LoopContext['agents'];
  readonly auditSealing: LoopContext['auditSealing'];
  readonly clusterWatch: LoopContext['clusterWatch'];
  readonly webhookDelivering: LoopContext['webhookDelivering'];
  readonly scheduleFiring: LoopContext['scheduleFiring'];
  readonly retaining: LoopContext['retaining'];
  readonly store: SchedulerStore;
  readonly wake: Wake;
  readonly settings: SchedulerSettings;
  readonly random: () => number;
  readonly timers?: Timers;
  readonly onLoopRound?: (round: {
    readonly loop: string;
    readonly found: number;
    readonly seconds: number;
    readonly ok: boolean;
  }) => void;
  /** A loop's first error in a row, or a step of the stop that failed. */
  readonly trouble: (what: string, error: unknown, ids?: Readonly<Record<string, string>>) => void;
}

export interface Scheduler {
  /**
   * Begins nothing more, gives the shards to the others at once, lets what is under way end (with
   * its leases kept alive) and resolves, after `deadlineMs` at the latest. Never rejects.
   */
  stop(params: { readonly deadlineMs: number }): Promise<void>;
  health(): SchedulerHealth;
  heldShards(): readonly number[];
}

export interface SchedulerHealth {
  /** Every loop has succeeded lately. */
  readonly ok: boolean;
  readonly loops: readonly (LoopHealth & { readonly stale: boolean })[];
}

/** Starts the scheduler role: these loops, and nothing else. */
export function startScheduler(deps: SchedulerDeps): Scheduler {
  const timers = deps.timers ?? systemTimers;
  const { context, endContext } = createContext(deps, timers);
  const definitions: readonly LoopDefinition[] = [
    holdShards(context),
    announceWorker(context),
    lookAround(context),
    advanceExecutions(context),
    runNodes(context),
    fireTimers(context),
    fireSchedules(context),
    admitChildren(context),
    admitQuotaItems(context),
    sweepWorkflowPauses(context),
    reclaimLeases(context),
    expireQueued(context),
    renewOwnLeases(context),
    pauseSilentAgents(context),
    prune(context),
    retain(context),
    sealAudit(context),
    watchCluster(context),
    deliverWebhooks(context),
  ];
  const running = definitions.map((definition) => ({
    definition,
    loop: startDefined(definition, { deps, timers, context }),
  }));

  async function endPart(part: LoopDefinition['part']): Promise<void> {
    const ending = running.filter(({ definition }) => definition.part === part);
    await Promise.all(ending.map(({ loop }) => loop.stop()));
  }

  /** Shards go before the drain: nobody should wait for a slow node that ends here. */
  async function leave(): Promise<void> {
    await endPart('presence');
    await deps.store.workers.withdraw({ workerId: deps.settings.processId, tenantId: null });
    await deps.store.shards.releaseAll();
    context.shards.current = [];
    deps.scheduling.takeStarts({ shards: [], underWayMax: 0 });
    deps.wake.notify([SCHEDULERS_TOPIC]);
  }

  let stopped: Promise<void> | null = null;
  return {
    stop({ deadlineMs }) {
      stopped ??= stopWithin({
        deadlineMs,
        timers,
        trouble: deps.trouble,
        steps: [
          { name: 'end the loops that begin work', run: () => endPart('work') },
          { name: 'give up the shards', run: leave },
          {
            name: 'drain',
            run: (leftMs) => deps.scheduling.drain({ deadlineMs: leftMs * DRAIN_PART }),
          },
          { name: 'end the loops that keep leases', run: () => endPart('upkeep') },
        ],
      }).finally(endContext);
      return stopped;
    },
    health() {
      const loops = running.map(({ definition, loop }) => withStale(definition, loop));
      return { ok: loops.every(({ stale }) => !stale), loops };
    },
    heldShards: () => context.shards.current,
  };
}

function createContext(
  deps: SchedulerDeps,
  timers: Timers,
): { readonly context: LoopContext; readonly endContext: () => void } {
  const { scheduling, agents, auditSealing, clusterWatch } = deps;
  const { webhookDelivering, scheduleFiring, retaining } = deps;
  const { store, wake, settings } = deps;
  const now = () => timers.now();
  const activity = createActivity(now);
  const shards: HeldShards = { current: [] };
  const duty = { locks: store.shards, now, isQuiet: activity.isQuiet };
  return {
    endContext: wake.subscribe(EVERY_TOPIC, activity.touch),
    context: {
      scheduling,
      agents,
      auditSealing,
      clusterWatch,
      webhookDelivering,
      scheduleFiring,
      retaining,
      store,
      wake,
      activity,
      lookout: createLookout(),
      shards,
      settings,
      now,
      timersDuty: createDuty({ ...duty, duty: 'timers' }),
      pruneDuty: createDuty({ ...duty, duty: 'prune' }),
    },
  };
}

function startDefined(
  definition: LoopDefinition,
  given: { readonly deps: SchedulerDeps; readonly timers: Timers; readonly context: LoopContext },
): Loop {
  const { deps, timers, context } = given;
  /** The kinds of errors since the last round that succeeded. */
  const told = new Set<string>();
  return startLoop({
    ...definition,
    timers,
    random: deps.random,
    isQuiet: context.activity.isQuiet,
    onRound(round) {
      const { ok, found, seconds } = round;
      deps.onLoopRound?.({ loop: definition.name, ok, found, seconds });
      if (found > 0 && definition.part === 'work') context.activity.touch();
      if (round.ok) return told.clear();
      // One line for an outage, not one for each round that met it, and one for each other that follows.
      const kind = round.error instanceof Error ? round.error.name : '';
      if (told.has(kind)) return;
      told.add(kind);
      deps.trouble('a scheduler loop failed', round.error, { loop: definition.name });
    },
  });
}

function withStale(definition: LoopDefinition, loop: Loop): SchedulerHealth['loops'][number] {
  const health = loop.health();
  const longestRestMs = definition.restMs.quietMax ?? definition.restMs.max;
  return { ...health, stale: health.silentMs > STALE_MS + 2 * longestRestMs };
}

const STALE_MS = 30_000;
/** The rest is for giving back what did not end in time. */
const DRAIN_PART = 0.9;
