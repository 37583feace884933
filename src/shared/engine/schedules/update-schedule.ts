import { badRequest, conflict } from '../../domain/errors.ts';
import { dueAt } from '../../domain/schedules/plan-turn.ts';
import type { Schedule, SchedulePosition, ScheduleSpec } from '../../domain/schedules/schedule.ts';
import { findTimingProblem, nextFire, type ScheduleTiming } from '../../domain/schedules/timing.ts';
import type { Caller, Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { checkStart } from '../executions/start-execution.ts';
import { SCHEDULES_TOPIC } from '../wake/wake-bus.ts';
import { missing, viewOf, type ScheduleName, type ScheduleView } from './schedule-view.ts';

export interface ScheduleChanges extends ScheduleName {
  /** Omitted fields keep their values. */
  readonly changes: Partial<ScheduleSpec>;
  /** Changes only while this is the revision; null: at any revision. */
  readonly ifRevision: number | null;
  /** The name it must have, as names do not change; null: not said. */
  readonly name: string | null;
}

/** A schedule that moves all the time is given up on after so many tries. */
export const TRIES_MAX = 20;

export async function updateSchedule(
  deps: EngineDeps,
  caller: Caller,
  params: ScheduleChanges,
): Promise<ScheduleView> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const updated = await tryUpdate(deps, caller, params);
    if (updated === null) continue;
    deps.wake.notify([SCHEDULES_TOPIC]);
    return viewOf(updated);
  }
  throw isChanging(params.schedule);
}

/** Null: it moved in between. */
export async function tryUpdate(
  deps: EngineDeps,
  caller: Caller,
  params: ScheduleChanges,
): Promise<Schedule | null> {
  const { schedules } = deps.store;
  const { tenantId, actorId } = caller;
  const { changes, ifRevision } = params;
  const known = await schedules.find({ tenantId, schedule: params.schedule });
  const schedule = known ?? missing(params);
  refuseOtherName(schedule, params.name);
  if (ifRevision !== null && ifRevision !== schedule.revision) {
    throw conflict(
      `schedule ${schedule.name} has revision ${schedule.revision}, not ${ifRevision}`,
    );
  }
  const spec = changeSpec(schedule, changes);
  checkTiming(spec);
  // One that can no longer be started can still be paused.
  if (changesStart(changes)) await checkScheduledStart(deps, caller, spec);
  const now = await schedules.now();
  const position = changePosition(schedule, spec, now);
  const { scheduleId, name, turn, position: before } = schedule;
  const isStarting = before.startingFireAt !== null;
  const givesUpWaiting = before.waitingFireAt !== null && position.waitingFireAt === null;
  return schedules.update({
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

export function checkTiming(timing: ScheduleTiming): void {
  const problem = findTimingProblem(timing);
  if (problem !== null) throw badRequest(problem);
}

export async function checkScheduledStart(
  deps: EngineDeps,
  reader: Reader,
  { workflowId, workflowVersion, input }: ScheduleSpec,
): Promise<void> {
  await checkStart(deps, reader, { workflowId, workflowVersion, input });
}

export function isChanging(schedule: string): Error {
  return conflict(`schedule ${schedule} is changing all the time; try again`);
}

function changesStart(changes: Partial<ScheduleSpec>): boolean {
  return 'workflowId' in changes || 'workflowVersion' in changes || 'input' in changes;
}

function refuseOtherName(schedule: Schedule, name: string | null): void {
  if (name === null || name === schedule.name) return;
  throw badRequest(`schedule ${schedule.name} keeps its name: make another one instead`);
}

/** A given kind of timing replaces the other. */
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
  const timingChanged =
    spec.cronExpression !== schedule.cronExpression ||
    spec.every !== schedule.every ||
    spec.timezone !== schedule.timezone ||
    schedule.paused;
  const stays = !timingChanged && !spec.paused;
  return {
    nextFireAt: spec.paused ? null : stays ? position.nextFireAt : nextFire(spec, now),
    waitingFireAt: stays && spec.overlapPolicy === 'queue' ? position.waitingFireAt : null,
    startingFireAt: position.startingFireAt,
    lateFires: stays ? position.lateFires : 0,
  };
}
