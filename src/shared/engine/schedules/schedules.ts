import type { EngineDeps } from '../deps.ts';
import { checkStart as checkStartOf } from '../executions/start-execution.ts';
import type { Actor } from '../caller.ts';
import { badRequest, conflict, notFound } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import { dueAt } from '../../domain/schedules/plan-turn.ts';
import {
  NEXT_FIRES_SHOWN,
  type Schedule,
  type SchedulePosition,
  type ScheduleSpec,
} from '../../domain/schedules/schedule.ts';
import { findTimingProblem, nextFire, nextFires } from '../../domain/schedules/timing.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Wake } from '../../ports/wake.ts';
import type { ScheduleRef, ScheduleStore } from '../../store/schedules.ts';
import { SCHEDULES_TOPIC } from '../wake/wake-bus.ts';

/** What the outside can ask about schedules. Every method may throw a `SvcError` (400, 404, 409). */
export interface Schedules {
  /** One of that name is replaced as a whole, and keeps its id. */
  createOrReplace(
    params: Actor & {
      readonly tenantId: TenantId;
      readonly name: string;
      readonly spec: ScheduleSpec;
    },
  ): Promise<{ readonly schedule: ScheduleView; readonly isNew: boolean }>;
  list(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly ScheduleView[]>;
  read(ref: ScheduleRef): Promise<ScheduleView>;
  update(params: Actor & ScheduleRef & ScheduleChanges): Promise<ScheduleView>;
  remove(params: Actor & ScheduleRef): Promise<ScheduleView>;
}

export interface ScheduleView {
  readonly schedule: Schedule;
  /** None while it is paused. */
  readonly nextFires: readonly string[];
}

export interface ScheduleChanges {
  /** What is not named stays. */
  readonly changes: Partial<ScheduleSpec>;
  /** Changed only while this is the revision; null: whatever it is. */
  readonly ifRevision: number | null;
  /** The name it must have, as names do not change; null: not said. */
  readonly name: string | null;
}

/** Of one tenant. */
export const SCHEDULES_MAX = 1_000;
const TRIES_MAX = 20;

export function createSchedules(deps: {
  readonly store: ScheduleStore;
  readonly engine: EngineDeps;
  readonly ids: Ids;
  readonly wake: Wake;
}): Schedules {
  const { store, engine, ids, wake } = deps;

  async function checkStart(tenantId: TenantId, spec: ScheduleSpec): Promise<void> {
    const { workflowId, workflowVersion, input } = spec;
    await checkStartOf(engine, { tenantId }, { workflowId, workflowVersion, input });
  }

  async function find(ref: ScheduleRef): Promise<Schedule> {
    return (await store.find(ref)) ?? missing(ref);
  }

  /** Null: it moved in between. */
  async function tryUpdate(
    params: Actor & ScheduleRef & ScheduleChanges,
  ): Promise<Schedule | null> {
    const { tenantId, actorId, changes, ifRevision } = params;
    const schedule = await find(params);
    refuseOtherName(schedule, params.name);
    if (ifRevision !== null && ifRevision !== schedule.revision) {
      throw conflict(
        `schedule ${schedule.name} has revision ${schedule.revision}, not ${ifRevision}`,
      );
    }
    const spec = changeSpec(schedule, changes);
    checkTiming(spec);
    // One that can no longer be started can still be paused.
    if (changesStart(changes)) await checkStart(tenantId, spec);
    const now = await store.now();
    const position = changePosition(schedule, spec, now);
    const { scheduleId, name, turn, position: before } = schedule;
    const isStarting = before.startingFireAt !== null;
    const givesUpWaiting = before.waitingFireAt !== null && position.waitingFireAt === null;
    return store.update({
      tenantId,
      scheduleId,
      name,
      turn,
      spec,
      position,
      dueAt: isStarting ? schedule.dueAt : dueAt(position, now),
      skipped: givesUpWaiting ? 1 : 0,
      actorId,
    });
  }

  /** Null: there is one of that name. */
  async function tryCreate({ tenantId, name, spec, actorId }: NewSpec): Promise<Schedule | null> {
    const created = await store.create({
      ...spec,
      scheduleId: ids.uuid(),
      tenantId,
      name,
      nextFireAt: spec.paused ? null : nextFire(spec, await store.now()),
      actorId,
      schedulesMax: SCHEDULES_MAX,
    });
    if (created === 'taken') return null;
    if (created === 'limited') {
      throw conflict(`there are ${SCHEDULES_MAX} schedules already; delete one first`);
    }
    return created;
  }

  /** Null: it moved in between, or is gone. */
  async function tryReplace({ tenantId, name, spec, actorId }: NewSpec): Promise<Schedule | null> {
    const known = await store.find({ tenantId, schedule: name });
    if (known === null) return null;
    return tryUpdate({
      tenantId,
      actorId,
      schedule: known.scheduleId,
      changes: spec,
      ifRevision: null,
      name: null,
    });
  }

  return {
    async createOrReplace({ tenantId, name, spec, actorId }) {
      checkTiming(spec);
      await checkStart(tenantId, spec);
      const given = { tenantId, name, spec, actorId };
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const created = await tryCreate(given);
        const schedule = created ?? (await tryReplace(given));
        if (schedule === null) continue;
        wake.notify([SCHEDULES_TOPIC]);
        return { schedule: view(schedule), isNew: created !== null };
      }
      throw conflict(`schedule ${name} is changing all the time; try again`);
    },

    list: async (params) => (await store.list(params)).map(view),
    read: async (ref) => view(await find(ref)),
    async update(params) {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const updated = await tryUpdate(params);
        if (updated === null) continue;
        wake.notify([SCHEDULES_TOPIC]);
        return view(updated);
      }
      throw conflict(`schedule ${params.schedule} is changing all the time; try again`);
    },
    async remove(params) {
      return view((await store.remove(params)) ?? missing(params));
    },
  };
}

interface NewSpec extends Actor {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly spec: ScheduleSpec;
}

function view(schedule: Schedule): ScheduleView {
  const { nextFireAt } = schedule.position;
  if (nextFireAt === null) return { schedule, nextFires: [] };
  const further = nextFires(schedule, { after: nextFireAt, count: NEXT_FIRES_SHOWN - 1 });
  return { schedule, nextFires: [nextFireAt, ...further] };
}

function checkTiming(spec: ScheduleSpec): void {
  const problem = findTimingProblem(spec);
  if (problem !== null) throw badRequest(problem);
}

function changesStart(changes: Partial<ScheduleSpec>): boolean {
  return 'workflowId' in changes || 'workflowVersion' in changes || 'input' in changes;
}

function refuseOtherName(schedule: Schedule, name: string | null): void {
  if (name === null || name === schedule.name) return;
  throw badRequest(`schedule ${schedule.name} keeps its name: make another one instead`);
}

/** Naming one way of timing takes the place of the other. */
function changeSpec(schedule: Schedule, changes: Partial<ScheduleSpec>): ScheduleSpec {
  const { cronExpression = null, every = null } = changes;
  const timing = cronExpression === null && every === null ? {} : { cronExpression, every };
  return {
    workflowId: schedule.workflowId,
    workflowVersion: schedule.workflowVersion,
    input: schedule.input,
    cronExpression: schedule.cronExpression,
    every: schedule.every,
    timezone: schedule.timezone,
    overlapPolicy: schedule.overlapPolicy,
    catchupWindowSecs: schedule.catchupWindowSecs,
    paused: schedule.paused,
    ...changes,
    ...timing,
  };
}

/**
 * A new timing, and the end of a pause, count from now: what was to come by the old one, and what a
 * pause has passed over, does not fire. A fire whose start has been decided is started.
 */
function changePosition(schedule: Schedule, spec: ScheduleSpec, now: string): SchedulePosition {
  const { position } = schedule;
  const startsAnew =
    spec.cronExpression !== schedule.cronExpression ||
    spec.every !== schedule.every ||
    spec.timezone !== schedule.timezone ||
    schedule.paused;
  const stays = !startsAnew && !spec.paused;
  return {
    nextFireAt: spec.paused ? null : stays ? position.nextFireAt : nextFire(spec, now),
    waitingFireAt: stays && spec.overlapPolicy === 'queue' ? position.waitingFireAt : null,
    startingFireAt: position.startingFireAt,
    lateFires: stays ? position.lateFires : 0,
  };
}

function missing({ schedule }: ScheduleRef): never {
  throw notFound(`schedule ${schedule}`);
}
