import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { OVERLAP_POLICIES, type Schedule } from '../../../domain/schedules/schedule.ts';

export const ScheduleRecord = z.object({
  schedule_id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  workflow_id: z.string(),
  workflow_version: z.string().nullable(),
  input: z.string(),
  cron_expression: z.string().nullable(),
  every: z.string().nullable(),
  timezone: z.string(),
  overlap_policy: z.enum(OVERLAP_POLICIES),
  catchup_window_secs: z.int(),
  paused: z.boolean(),
  next_fire_at: z.string().nullable(),
  waiting_fire_at: z.string().nullable(),
  starting_fire_at: z.string().nullable(),
  late_fires: z.int(),
  due_at: z.string().nullable(),
  last_fire_at: z.string().nullable(),
  last_execution_id: z.string().nullable(),
  last_error: z.string().nullable(),
  started: z.int(),
  skipped: z.int(),
  missed: z.int(),
  failed: z.int(),
  revision: z.int(),
  turn: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const SCHEDULE_COLUMNS = sql.fragment`
  s.schedule_id, s.tenant_id, s.name, s.workflow_id, s.workflow_version, s.input,
  s.cron_expression, s.every, s.timezone, s.overlap_policy, s.catchup_window_secs, s.paused,
  s.next_fire_at, s.waiting_fire_at, s.starting_fire_at, s.late_fires, s.due_at, s.last_fire_at,
  s.last_execution_id, s.last_error, s.started, s.skipped, s.missed, s.failed, s.revision, s.turn,
  s.created_at, s.updated_at`;

export function toSchedule(row: z.infer<typeof ScheduleRecord>): Schedule {
  const { last_execution_id: lastExecution } = row;
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
    paused: row.paused,
    position: {
      nextFireAt: row.next_fire_at,
      waitingFireAt: row.waiting_fire_at,
      startingFireAt: row.starting_fire_at,
      lateFires: row.late_fires,
    },
    counts: {
      started: row.started,
      skipped: row.skipped,
      missed: row.missed,
      failed: row.failed,
    },
    dueAt: row.due_at,
    lastFireAt: row.last_fire_at,
    lastExecutionId: lastExecution === null ? null : executionIdFromUuid(lastExecution),
    lastError: row.last_error,
    revision: row.revision,
    turn: row.turn,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
