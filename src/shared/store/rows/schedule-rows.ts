import type { ExecutionId, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { OverlapPolicy, Schedule } from '../../domain/schedules/schedule.ts';

/** The columns of `schedules` and what they hold, in the order in which they are selected. */
export const SCHEDULE_COLUMNS = {
  schedule_id: 'text',
  tenant_id: 'text',
  name: 'text',
  workflow_id: 'text',
  workflow_version: 'text or null',
  input: 'text',
  cron_expression: 'text or null',
  every: 'text or null',
  timezone: 'text',
  overlap_policy: 'overlap policy',
  catchup_window_secs: 'integer',
  paused: 'flag',
  next_fire_at: 'instant or null',
  waiting_fire_at: 'instant or null',
  starting_fire_at: 'instant or null',
  late_fires: 'integer',
  due_at: 'instant or null',
  last_fire_at: 'instant or null',
  last_execution_id: 'text or null',
  last_error: 'text or null',
  started: 'integer',
  skipped: 'integer',
  missed: 'integer',
  failed: 'integer',
  revision: 'integer',
  turn: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
} as const;

/** `Instant` and `Flag`: as the store hands out times and booleans. */
interface Values<Instant, Flag> {
  readonly text: string;
  readonly 'text or null': string | null;
  readonly integer: number;
  readonly flag: Flag;
  readonly 'overlap policy': OverlapPolicy;
  readonly instant: Instant;
  readonly 'instant or null': Instant | null;
}

type Columns = typeof SCHEDULE_COLUMNS;

export type ScheduleRow<Instant, Flag> = {
  readonly [Column in keyof Columns]: Values<Instant, Flag>[Columns[Column]];
};

/** The columns, spelled out: `s.schedule_id, s.tenant_id, …`. */
export function listScheduleColumns(table?: string): string {
  const names = Object.keys(SCHEDULE_COLUMNS);
  return names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', ');
}

export function decodeSchedule<Instant, Flag>(
  row: ScheduleRow<Instant, Flag>,
  by: {
    readonly toIso: (instant: Instant) => string;
    readonly isSet: (flag: Flag) => boolean;
    readonly toExecutionId: (text: string) => ExecutionId;
  },
): Schedule {
  const toIsoOrNull = (instant: Instant | null) => (instant === null ? null : by.toIso(instant));
  const { last_execution_id: lastExecutionId } = row;
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
    paused: by.isSet(row.paused),
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
    lastExecutionId: lastExecutionId === null ? null : by.toExecutionId(lastExecutionId),
    lastError: row.last_error,
    revision: row.revision,
    turn: row.turn,
    createdAt: by.toIso(row.created_at),
    updatedAt: by.toIso(row.updated_at),
  };
}
