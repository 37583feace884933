import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type {
  OverlapPolicy,
  Schedule,
  SchedulePosition,
} from '../../../domain/schedules/schedule.ts';
import type { NamedBindings } from '../connection/connect.ts';
import { toIso, toIsoOrNull } from '../rows.ts';

export const SCHEDULE_COLUMNS = [
  'schedule_id',
  'tenant_id',
  'name',
  'workflow_id',
  'workflow_version',
  'input',
  'cron_expression',
  'every',
  'timezone',
  'overlap_policy',
  'catchup_window_secs',
  'paused',
  'next_fire_at',
  'waiting_fire_at',
  'starting_fire_at',
  'late_fires',
  'due_at',
  'last_fire_at',
  'last_execution_id',
  'last_error',
  'started',
  'skipped',
  'missed',
  'failed',
  'revision',
  'turn',
  'created_at',
  'updated_at',
];

export interface RawSchedule {
  readonly schedule_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly workflow_id: string;
  readonly workflow_version: string | null;
  readonly input: string;
  readonly cron_expression: string | null;
  readonly every: string | null;
  readonly timezone: string;
  readonly overlap_policy: OverlapPolicy;
  readonly catchup_window_secs: number;
  readonly paused: 0 | 1;
  readonly next_fire_at: number | null;
  readonly waiting_fire_at: number | null;
  readonly starting_fire_at: number | null;
  readonly late_fires: number;
  readonly due_at: number | null;
  readonly last_fire_at: number | null;
  readonly last_execution_id: string | null;
  readonly last_error: string | null;
  readonly started: number;
  readonly skipped: number;
  readonly missed: number;
  readonly failed: number;
  readonly revision: number;
  readonly turn: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export function bindPosition(position: SchedulePosition): NamedBindings {
  return {
    next_fire_at: toMillis(position.nextFireAt),
    waiting_fire_at: toMillis(position.waitingFireAt),
    starting_fire_at: toMillis(position.startingFireAt),
    late_fires: position.lateFires,
  };
}

export function toMillis(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}

export function toSchedule(row: RawSchedule): Schedule {
  return {
    scheduleId: row.schedule_id,
    tenantId: row.tenant_id as TenantId,
    name: row.name,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    input: JSON.parse(row.input) as JsonObject,
    cronExpression: row.cron_expression,
    every: row.every,
    timezone: row.timezone,
    overlapPolicy: row.overlap_policy,
    catchupWindowSecs: row.catchup_window_secs,
    paused: row.paused === 1,
    position: {
      nextFireAt: toIsoOrNull(row.next_fire_at),
      waitingFireAt: toIsoOrNull(row.waiting_fire_at),
      startingFireAt: toIsoOrNull(row.starting_fire_at),
      lateFires: row.late_fires,
    },
    counts: {
      started: row.started,
      skipped: row.skipped,
      missed: row.missed,
      failed: row.failed,
    },
    dueAt: toIsoOrNull(row.due_at),
    lastFireAt: toIsoOrNull(row.last_fire_at),
    lastExecutionId: row.last_execution_id as ExecutionId | null,
    lastError: row.last_error,
    revision: row.revision,
    turn: row.turn,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}
