import type { AuditSealing } from '../../shared/engine/audit/audit-sealing.ts';
import type { ClusterWatch } from '../../shared/engine/scheduling/cluster-watch.ts';
import type { WebhookDelivering } from '../../shared/engine/webhooks/deliver-webhooks.ts';
import type { ScheduleFiring } from '../../shared/engine/schedules/fire-schedules.ts';
import type { Retaining } from '../../shared/engine/retention/retaining.ts';
import type { RoundResult } from '../../shared/engine/scheduling/round-result.ts';
import type { Scheduling } from '../../shared/engine/scheduling/scheduling.ts';
import type { Wake } from '../../shared/ports/wake.ts';
import type { Store } from '../../shared/store/store.ts';
import type { Activity } from '../activity.ts';
import type { Duty } from '../duty.ts';
import type { LoopOptions } from '../loop.ts';
import type { Lookout, Sighting } from './look-around.ts';

/** The dependencies of the loops. */
export interface LoopContext {
  readonly scheduling: Scheduling;
  readonly agents: {
    pauseSilent(params: { readonly limit: number }): Promise<RoundResult>;
  };
  readonly auditSealing: Pick<AuditSealing, 'round'>;
  readonly clusterWatch: Pick<ClusterWatch, 'round'>;
  readonly webhookDelivering: Pick<WebhookDelivering, 'round'>;
  readonly scheduleFiring: Pick<ScheduleFiring, 'round'>;
  readonly retaining: Retaining;
  readonly store: SchedulerStore;
  readonly wake: Wake;
  readonly activity: Activity;
  readonly lookout: Lookout;
  readonly shards: HeldShards;
  readonly timersDuty: Duty;
  readonly pruneDuty: Duty;
  readonly settings: SchedulerSettings;
  readonly now: () => number;
}

export type SchedulerStore = Pick<Store, 'workers' | 'shards' | 'timers' | 'prune'> & {
  readonly runnable: Pick<Store['runnable'], 'lookAround'>;
};

export interface SchedulerSettings {
  readonly processId: string;
  /** `scheduler`, or `all` when the process serves the API too. */
  readonly role: 'scheduler' | 'all';
  readonly version: string;
  readonly host: string;
  /** Key `scheduler.lease_seconds`. */
  readonly leaseMs: number;
  /** Executions and in-engine nodes under way at a time in this process. */
  readonly underWayMax: number;
}

/** The shards this process works now; written by the loop that holds them, read by the others. */
export interface HeldShards {
  current: readonly number[];
}

export interface LoopDefinition extends Pick<
  LoopOptions,
  'name' | 'run' | 'restMs' | 'errorMsMax' | 'wakeOn'
> {
  /**
   * `work`: begins things; ends first when the scheduler stops, and finding something means that
   * the cluster is not quiet. `upkeep`: keeps what is under way alive; ends last. `presence`: makes
   * this process count as a scheduler; ends before its shards are given away.
   */
  readonly part: 'work' | 'presence' | 'upkeep';
}

/** Subscribes a loop's `wake` to topics. */
export function onTopics(
  wake: Wake,
  topics: readonly string[],
): NonNullable<LoopOptions['wakeOn']> {
  return (listener) => {
    const ends = topics.map((topic) => wake.subscribe(topic, listener));
    return () => ends.forEach((end) => end());
  };
}

/** Wakes a loop by topics too, and when a look around has found work for it. */
export function onTopicsAndSight(
  { wake, lookout }: Pick<LoopContext, 'wake' | 'lookout'>,
  topics: readonly string[],
  sighting: Sighting,
): NonNullable<LoopOptions['wakeOn']> {
  return (listener) => {
    const ends = [onTopics(wake, topics)(listener), lookout.subscribe(sighting, listener)];
    return () => ends.forEach((end) => end());
  };
}
