import { keyOfTopic } from './wake/wake-for.ts';
import { compilePlan } from '../domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../domain/workflow/plan/plan.ts';
import type { EnginePorts } from '../nodes/ports.ts';
import type { NodeRunners } from '../nodes/run.ts';
import type { StoredDefinition } from '../store/store.ts';
import { createDefinitionCache } from './advance/definition-cache.ts';
import { createEndsHere } from './advance/ends-here.ts';
import { createHeldExecutions } from './advance/held-executions.ts';
import { createCommitter } from './commit/committer.ts';
import type { EngineDeps } from './deps.ts';
import { createAdmission } from './admission/admission.ts';
import { createQuotaAdmission } from './scheduling/admit-quota-items.ts';
import { createClaimPace } from './scheduling/claim-pace.ts';
import { createFollowedEvents } from './executions/followed-events.ts';
import { createHistories } from './executions/history/histories.ts';
import { createStateFolds } from './executions/history/state-folds.ts';
import { createScheduling } from './scheduling/create-scheduling.ts';
import type { Scheduling } from './scheduling/scheduling.ts';
import { systemTimers, type Timers } from './scheduling/timers.ts';
import { createTenantDirectory } from './tenants/tenant-directory.ts';
import type { UseCaseDeps } from './use-case-deps.ts';
import { createEndLooks } from './wake/end-looks.ts';
import { createLookTurns } from './work/look-turns.ts';
import { createQueueNews } from './work/queue-news.ts';
import { createWaitingClaims } from './work/waiting-claims.ts';
import { createWorkerLeases } from './work/worker-leases.ts';
import { createWorkerAnnouncements } from './work/worker-announcements.ts';

type Made =
  | 'committer'
  | 'definitions'
  | 'heldExecutions'
  | 'endsHere'
  | 'tenants'
  | 'admission'
  | 'quotaAdmission';
type Optional = 'timers' | 'pseudonym' | 'prices';

export interface GivenToEngine
  extends Omit<EngineDeps, Made | Optional>, Pick<UseCaseDeps, 'kinds' | 'randomBytes'> {
  readonly timers?: Timers;
  readonly prices?: EngineDeps['prices'];
  readonly pseudonym?: EngineDeps['pseudonym'];
  /** `ports`: what the engine itself supplies to runners. */
  readonly runners: (ports: EnginePorts) => NodeRunners;
  /** For engines that share compiled definitions. */
  readonly compile?: (definition: StoredDefinition) => Plan;
}

/** The engine of one process: what use cases are given, and what the scheduler's loops call. */
export function openEngine(given: GivenToEngine): {
  readonly engine: UseCaseDeps;
  readonly scheduling: Scheduling;
} {
  const { kinds, runners, compile, store, report, timers = systemTimers } = given;
  const now = () => timers.now();
  const deps: EngineDeps = {
    store,
    ids: given.ids,
    wake: given.wake,
    cpu: given.cpu,
    settings: given.settings,
    report,
    timers,
    pseudonym: given.pseudonym ?? null,
    prices: given.prices ?? {},
    ...(given.secretRules !== undefined && { secretRules: given.secretRules }),
    committer: createCommitter({
      executions: store.executions,
      report,
      timers,
      ...(store.dialect === 'sqlite' && { lanes: 1 }),
    }),
    definitions: createDefinitionCache({
      definitions: store.definitions,
      compile: compile ?? ((definition) => compilePlan(definition.ir, kinds)),
    }),
    heldExecutions: createHeldExecutions(given.wake),
    endsHere: createEndsHere(),
    admission: createAdmission({
      places: store.places,
      flow: store.flow,
      batchBytesMax: given.settings.inputBytesMax,
      wake: given.wake,
      report,
      now,
    }),
    quotaAdmission: createQuotaAdmission({
      quotas: store.quotas,
      wake: given.wake,
      report,
      now,
    }),
    tenants: createTenantDirectory({ tenants: store.tenants, now, wake: given.wake }),
  };
  const claimPace = createClaimPace(now);
  const { startsHere, scheduling } = createScheduling(deps, runners);
  const engine: UseCaseDeps = {
    ...deps,
    kinds,
    randomBytes: given.randomBytes,
    histories: createHistories({ executions: store.executions, wake: given.wake }),
    stateFolds: createStateFolds(store),
    followedEvents: createFollowedEvents({
      executions: store.executions,
      wake: given.wake,
      timers,
    }),
    endLooks: createEndLooks({ executions: store.executions, timers }),
    startsHere,
    workerLeases: createWorkerLeases({ work: store.work, leaseMs: given.settings.leaseMs, timers }),
    claimPace,
    lookTurns: createLookTurns({ timers, claimPace }),
    queueNews: createQueueNews({
      wake: given.wake,
      now,
      onHint: (topic) => given.store.work.noteAdded(keyOfTopic(topic)),
    }),
    waitingClaims: createWaitingClaims(),
    workerAnnouncements: createWorkerAnnouncements({ workers: store.workers, report, now }),
  };
  return { engine, scheduling };
}
