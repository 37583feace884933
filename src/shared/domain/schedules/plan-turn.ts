import type { ExecutionId } from '../ids.ts';
import type { TenantStatus } from '../tenant.ts';
import { fireExecutionId } from './fire-execution-id.ts';
import type { FireCounts, Schedule, SchedulePosition } from './schedule.ts';
import { countFires, nextFire } from './timing.ts';

/*
 * Plans the next step of a due schedule, one fire at a time.
 *
 * A fire is decided once: the turn that moves `nextFireAt` past it decides it, and is written only
 * on the row that it was made from. A fire to start is kept as `startingFireAt` until its execution
 * is known to exist or to be refused; a process that finds it after `START_MS_MAX` starts it again,
 * under the same execution id.
 */

export interface TurnGiven {
  readonly schedule: Schedule;
  /** By the database's clock. */
  readonly now: string;
  readonly tenantStatus: TenantStatus;
  /** Whether the execution started last has not ended. */
  readonly lastIsLive: boolean;
}

export interface Turn {
  readonly position: SchedulePosition;
  readonly dueAt: string | null;
  /** To be added. */
  readonly counts: FireCounts;
  /** Null: as it was. */
  readonly error: string | null;
  /** To be carried out once the turn is written. */
  readonly start: FireStart | null;
}

export interface FireStart {
  readonly fireAt: string;
  readonly executionId: ExecutionId;
  readonly cancels: ExecutionId | null;
  /** Somebody has begun this before. */
  readonly again: boolean;
}

/** How long a start may take before it counts as broken off. */
const START_MS_MAX = 10_000;
/** A fire this late is late; beyond, it was missed. The window of a schedule only widens that. */
const LATE_MS_MAX = 10_000;
/** Missed fires that are made up for in a row. */
const CAUGHT_UP_MAX = 1_000;
/** Given up at once, missed fires are counted no further. */
const MISSED_COUNTED_MAX = 1_000;
const WAIT_MS_MIN = 1_000;
const WAIT_MS_MAX = 30_000;

const NO_COUNTS: FireCounts = { started: 0, skipped: 0, missed: 0, failed: 0 };

export function planTurn(given: TurnGiven): Turn {
  const { position } = given.schedule;
  const { startingFireAt, waitingFireAt, nextFireAt } = position;
  if (startingFireAt !== null)
    return start(given, { position, fireAt: startingFireAt, again: true });
  if (waitingFireAt !== null && !given.lastIsLive) {
    return attempt(given, {
      position: { ...position, waitingFireAt: null },
      fireAt: waitingFireAt,
    });
  }
  if (nextFireAt === null || nextFireAt > given.now) return rest(given, position);
  return fire(given, nextFireAt);
}

function fire(given: TurnGiven, fireAt: string): Turn {
  const { schedule, now } = given;
  const { overlapPolicy, position } = schedule;
  const lateMs = Date.parse(now) - Date.parse(fireAt);
  const isLate = lateMs > LATE_MS_MAX;
  const isBeyondWindow = lateMs > Math.max(LATE_MS_MAX, schedule.catchupWindowSecs * 1_000);
  if (isBeyondWindow || (isLate && position.lateFires >= CAUGHT_UP_MAX)) {
    return giveUpMissed(given, fireAt);
  }
  const moved: SchedulePosition = {
    ...position,
    nextFireAt: nextFire(schedule, fireAt),
    lateFires: isLate ? position.lateFires + 1 : 0,
  };
  const mustYield = given.lastIsLive && (overlapPolicy === 'skip' || overlapPolicy === 'queue');
  if (!mustYield) return attempt(given, { position: moved, fireAt });
  if (overlapPolicy === 'queue' && position.waitingFireAt === null) {
    return rest(given, { ...moved, waitingFireAt: fireAt });
  }
  return { ...rest(given, moved), counts: { ...NO_COUNTS, skipped: 1 } };
}

/** On to the first fire that is not to be given up, however many there were. */
function giveUpMissed(given: TurnGiven, fireAt: string): Turn {
  const { schedule, now } = given;
  const { lateFires } = schedule.position;
  const windowMs = Math.max(LATE_MS_MAX, schedule.catchupWindowSecs * 1_000);
  const keptMs = lateFires >= CAUGHT_UP_MAX ? 0 : windowMs;
  // A fire exactly this old is not given up.
  const before = new Date(Date.parse(now) - keptMs - 1).toISOString();
  const max = MISSED_COUNTED_MAX - 1;
  const missed = 1 + countFires(schedule, { after: fireAt, through: before, max });
  const nextFireAt = nextFire(schedule, before);
  return {
    ...rest(given, { ...schedule.position, nextFireAt, lateFires: keptMs === 0 ? 0 : lateFires }),
    counts: { ...NO_COUNTS, missed },
  };
}

/** Starts it, unless the tenant may not have anything started. */
function attempt(
  given: TurnGiven,
  step: { readonly position: SchedulePosition; readonly fireAt: string },
): Turn {
  const { tenantStatus } = given;
  if (tenantStatus === 'active') return start(given, { ...step, again: false });
  return {
    ...rest(given, step.position),
    counts: { ...NO_COUNTS, failed: 1 },
    error: `the tenant is ${tenantStatus}`,
  };
}

function start(
  given: TurnGiven,
  step: {
    readonly position: SchedulePosition;
    readonly fireAt: string;
    readonly again: boolean;
  },
): Turn {
  const { scheduleId, overlapPolicy, lastExecutionId } = given.schedule;
  const { position, fireAt, again } = step;
  const cancels = overlapPolicy === 'cancel_previous' && given.lastIsLive ? lastExecutionId : null;
  return {
    ...rest(given, { ...position, startingFireAt: fireAt }),
    start: { fireAt, executionId: fireExecutionId({ scheduleId, fireAt }), cancels, again },
  };
}

function rest({ now }: TurnGiven, position: SchedulePosition): Turn {
  return { position, dueAt: dueAt(position, now), counts: NO_COUNTS, error: null, start: null };
}

/** When a schedule in this position must be looked at; null: never. */
export function dueAt(position: SchedulePosition, now: string): string | null {
  const { startingFireAt, waitingFireAt, nextFireAt } = position;
  if (startingFireAt !== null) return later(now, START_MS_MAX);
  if (waitingFireAt === null) return nextFireAt;
  // After a long wait the next call is hardly due at once.
  const waitedMs = Date.parse(now) - Date.parse(waitingFireAt);
  const look = later(now, Math.min(Math.max(waitedMs / 4, WAIT_MS_MIN), WAIT_MS_MAX));
  return nextFireAt !== null && nextFireAt < look ? nextFireAt : look;
}

function later(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
