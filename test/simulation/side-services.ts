import { cancelExecution } from '../../src/shared/engine/executions/cancel-execution.ts';
import { startExecution } from '../../src/shared/engine/executions/start-execution.ts';
import type { UseCaseDeps } from '../../src/shared/engine/use-case-deps.ts';
import type { SchedulerDeps } from '../../src/scheduler/scheduler.ts';
import { createAuditSealing } from '../../src/shared/engine/audit/audit-sealing.ts';
import type { EngineReport } from '../../src/shared/engine/report.ts';
import { createScheduleFiring } from '../../src/shared/engine/schedules/fire-schedules.ts';
import type { WakeBus } from '../../src/shared/engine/wake/wake-bus.ts';
import { createWebhookDelivering } from '../../src/shared/engine/webhooks/deliver-webhooks.ts';
import { createRetaining } from '../../src/shared/engine/retention/retaining.ts';
import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';
import type { Http } from '../../src/shared/ports/http.ts';
import type { Ids } from '../../src/shared/ports/ids.ts';
import type { Store } from '../../src/shared/store/store.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';
import { OPEN_BOX } from './receiver.ts';

/** What a scheduler does beside the executions; what a history is not about rests, to save time. */
export interface Sides {
  readonly schedules: boolean;
  readonly webhooks: boolean;
  readonly sealing: boolean;
  /** How long executions are kept, by the configuration; null: nothing is ever removed. */
  readonly keptDays: KeptDays | null;
}

export function createSideServices(params: {
  readonly sides: Sides;
  readonly store: Store;
  readonly engine: UseCaseDeps;
  readonly wake: WakeBus;
  readonly report: EngineReport;
  readonly http: Http;
  readonly random: () => number;
  readonly ids: Ids;
  readonly timers: Timers;
}): Pick<
  SchedulerDeps,
  'agents' | 'clusterWatch' | 'auditSealing' | 'webhookDelivering' | 'scheduleFiring' | 'retaining'
> {
  const { sides, store, engine, wake, report, http, random, ids, timers } = params;
  return {
    agents: { pauseSilent: NOTHING_FOUND },
    clusterWatch: { round: NOTHING_FOUND },
    retaining:
      sides.keptDays === null
        ? { round: NOTHING_FOUND }
        : createRetaining({
            stores: store,
            ids,
            timers,
            settings: { defaults: sides.keptDays, replayMs: null, unusedArtifactMs: DAY_MS },
            report,
          }),
    auditSealing: sides.sealing ? createAuditSealing(store) : { round: NOTHING_FOUND },
    webhookDelivering: sides.webhooks
      ? createWebhookDelivering({
          store: store.webhooks,
          http,
          secrets: OPEN_BOX,
          report,
          random,
        })
      : { round: NOTHING_FOUND },
    scheduleFiring: sides.schedules
      ? createScheduleFiring({
          store: store.schedules,
          executions: store.executions,
          audit: store.audit,
          start: (caller, start) => startExecution(engine, caller, start),
          cancel: (caller, ref) => cancelExecution(engine, caller, ref),
          wake,
          report,
        })
      : { round: async () => ({ found: 0, more: false, dueInMs: null }) },
  };
}

const NOTHING_FOUND = async () => ({ found: 0, more: false });
const DAY_MS = 86_400_000;
