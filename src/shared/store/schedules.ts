import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type {
  FireCounts,
  Schedule,
  SchedulePosition,
  ScheduleSpec,
} from '../domain/schedules/schedule.ts';
import type { TenantStatus } from '../domain/tenant.ts';

/**
 * Schedules and their positions. The domain decides the next step; every change names the `turn`
 * that it was decided on, and is not written if there has been another since.
 */
export interface ScheduleStore {
  /** By the database's clock. */
  now(): Promise<string>;
  /** `taken`: the tenant has one of that name; `limited`: it has `schedulesMax` already. */
  create(schedule: NewSchedule): Promise<Schedule | 'taken' | 'limited'>;
  /** Null: there is no such schedule. */
  find(ref: ScheduleRef): Promise<Schedule | null>;
  /** Newest first. */
  list(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
    readonly offset: number;
  }): Promise<readonly Schedule[]>;
  /** Null: it has changed since, or is gone. */
  update(params: UpdateSchedule): Promise<Schedule | null>;
  /** Null: there is no such schedule. */
  remove(ref: ScheduleRef & { readonly actorId: string }): Promise<Schedule | null>;
  /**
   * Schedules that are due, longest first, of inactive tenants as well: their fires are given up,
   * not kept. `early`: these too, where a fire waits.
   */
  listDue(params: {
    readonly limit: number;
    readonly early: readonly string[];
  }): Promise<readonly DueSchedule[]>;
  /** Milliseconds until the next one is due; null: none will be. */
  nextDueInMs(): Promise<number | null>;
  /** Takes a schedule on. False: it has changed since, or is gone. */
  turn(params: TurnSchedule): Promise<boolean>;
  /**
   * The outcome of the fire that was being started. False: another process has recorded it, or the
   * schedule is gone.
   */
  settleStart(params: SettleStart): Promise<boolean>;
}

export interface ScheduleRef {
  readonly tenantId: TenantId;
  /** Its id or its name. */
  readonly schedule: string;
}

export interface NewSchedule extends ScheduleSpec {
  readonly scheduleId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly nextFireAt: string | null;
  readonly actorId: string;
  readonly schedulesMax: number;
}

export interface UpdateSchedule {
  readonly tenantId: TenantId;
  readonly scheduleId: string;
  /** For the audit log. */
  readonly name: string;
  readonly turn: number;
  readonly spec: ScheduleSpec;
  readonly position: SchedulePosition;
  readonly dueAt: string | null;
  /** To be added. */
  readonly skipped: number;
  readonly actorId: string;
}

export interface DueSchedule {
  readonly schedule: Schedule;
  readonly now: string;
  readonly tenantStatus: TenantStatus;
  /** Whether the last started execution exists and has not ended. */
  readonly lastIsLive: boolean;
}

export interface TurnSchedule {
  readonly scheduleId: string;
  readonly turn: number;
  readonly position: SchedulePosition;
  readonly dueAt: string | null;
  /** To be added. */
  readonly counts: FireCounts;
  /** Null: as it was. */
  readonly error: string | null;
}

export interface SettleStart {
  readonly scheduleId: string;
  readonly fireAt: string;
  readonly outcome: StartOutcome;
}

/** `skipped`: other executions have the places, so it was refused as it was asked to be; says why. */
export type StartOutcome =
  { readonly executionId: ExecutionId } | { readonly error: string } | { readonly skipped: string };

/** The details of a schedule in the audit log, without its input, which may be anything. */
export function auditOf(
  schedule: ScheduleSpec & { readonly scheduleId: string; readonly name: string },
) {
  return {
    schedule_id: schedule.scheduleId,
    name: schedule.name,
    workflow_id: schedule.workflowId,
    workflow_version: schedule.workflowVersion,
    cron_expression: schedule.cronExpression,
    every: schedule.every,
    timezone: schedule.timezone,
    overlap_policy: schedule.overlapPolicy,
    catchup_window_secs: schedule.catchupWindowSecs,
    paused: schedule.paused,
  };
}
