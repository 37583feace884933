import type { Schedule, ScheduleSpec } from '../../../domain/schedules/schedule.ts';
import {
  auditOf,
  type NewSchedule,
  type ScheduleRef,
  type ScheduleStore,
  type UpdateSchedule,
} from '../../schedules.ts';
import { listScheduleColumns } from '../../rows/schedule-rows.ts';
import { appendAudit } from '../audit/append.ts';
import type { NamedBindings, Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { bindPosition, toMillis, toSchedule, type ScheduleRecord } from './rows.ts';
import { listDueSchedules, nextDueInMs, settleStart, turnSchedule } from './turns.ts';

export function createScheduleStore(connection: Connection): ScheduleStore {
  return {
    now: () => connection.read(() => toIso(connection.now())),
    create: (schedule) => connection.write(() => createSchedule(connection, schedule)),
    find: (ref) => connection.read(() => findSchedule(connection, ref)),
    list: (params) => connection.read(() => listSchedules(connection, params)),
    update: (params) => connection.write(() => updateSchedule(connection, params)),
    remove: (params) => connection.write(() => removeSchedule(connection, params)),
    listDue: (params) => connection.read(() => listDueSchedules(connection, params)),
    nextDueInMs: () => connection.read(() => nextDueInMs(connection)),
    turn: (params) => connection.write(() => turnSchedule(connection, params)),
    settleStart: (params) => connection.write(() => settleStart(connection, params)),
  };
}

const RETURNED = listScheduleColumns();

function createSchedule(
  connection: Connection,
  schedule: NewSchedule,
): Schedule | 'taken' | 'limited' {
  const { scheduleId, tenantId, name, nextFireAt, actorId, schedulesMax } = schedule;
  if (findSchedule(connection, { tenantId, schedule: name }) !== null) return 'taken';
  const present = connection.get<{ readonly count: number }>(
    'select count(*) as count from schedules where tenant_id = :tenant_id',
    { tenant_id: tenantId },
  );
  if ((present?.count ?? 0) >= schedulesMax) return 'limited';
  const row = connection.get<ScheduleRecord>(
    `insert into schedules (
       schedule_id, tenant_id, name, workflow_id, workflow_version, input, cron_expression, every,
       timezone, overlap_policy, catchup_window_secs, paused, next_fire_at, due_at, created_at,
       updated_at
     )
     values (
       :schedule_id, :tenant_id, :name, :workflow_id, :workflow_version, :input, :cron_expression,
       :every, :timezone, :overlap_policy, :catchup_window_secs, :paused, :next_fire_at,
       :next_fire_at, :now, :now
     )
     returning ${RETURNED}`,
    {
      schedule_id: scheduleId,
      tenant_id: tenantId,
      name,
      ...bindSpec(schedule),
      next_fire_at: toMillis(nextFireAt),
      now: connection.now(),
    },
  );
  if (row === undefined) throw new TypeError('an insert answers its row');
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'schedule_created',
    actorId,
    payload: auditOf(schedule),
  });
  return toSchedule(row);
}

function findSchedule(
  connection: Connection,
  { tenantId, schedule }: ScheduleRef,
): Schedule | null {
  const row = connection.get<ScheduleRecord>(
    `select ${RETURNED}
     from schedules
     where tenant_id = :tenant_id and (schedule_id = :schedule or name = :schedule)`,
    { tenant_id: tenantId, schedule },
  );
  return row === undefined ? null : toSchedule(row);
}

function listSchedules(
  connection: Connection,
  params: Parameters<ScheduleStore['list']>[0],
): readonly Schedule[] {
  const { tenantId, limit, offset } = params;
  return connection
    .all<ScheduleRecord>(
      `select ${RETURNED}
       from schedules
       where tenant_id = :tenant_id
       order by created_at desc, schedule_id desc
       limit :limit offset :offset`,
      { tenant_id: tenantId, limit, offset },
    )
    .map(toSchedule);
}

function updateSchedule(connection: Connection, params: UpdateSchedule): Schedule | null {
  const { tenantId, scheduleId, turn, spec, position, dueAt, skipped, actorId } = params;
  const row = connection.get<ScheduleRecord>(
    `update schedules
     set workflow_id = :workflow_id,
         workflow_version = :workflow_version,
         input = :input,
         cron_expression = :cron_expression,
         every = :every,
         timezone = :timezone,
         overlap_policy = :overlap_policy,
         catchup_window_secs = :catchup_window_secs,
         paused = :paused,
         next_fire_at = :next_fire_at,
         waiting_fire_at = :waiting_fire_at,
         starting_fire_at = :starting_fire_at,
         late_fires = :late_fires,
         due_at = :due_at,
         skipped = skipped + :skipped,
         revision = revision + 1,
         turn = turn + 1,
         updated_at = max(:now, updated_at)
     where schedule_id = :schedule_id and tenant_id = :tenant_id and turn = :turn
     returning ${RETURNED}`,
    {
      schedule_id: scheduleId,
      tenant_id: tenantId,
      turn,
      ...bindSpec(spec),
      ...bindPosition(position),
      due_at: toMillis(dueAt),
      skipped,
      now: connection.now(),
    },
  );
  if (row === undefined) return null;
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'schedule_updated',
    actorId,
    payload: auditOf({ ...spec, scheduleId, name: params.name }),
  });
  return toSchedule(row);
}

function removeSchedule(
  connection: Connection,
  params: ScheduleRef & { readonly actorId: string },
): Schedule | null {
  const { tenantId, schedule, actorId } = params;
  const row = connection.get<ScheduleRecord>(
    `delete from schedules
     where tenant_id = :tenant_id and (schedule_id = :schedule or name = :schedule)
     returning ${RETURNED}`,
    { tenant_id: tenantId, schedule },
  );
  if (row === undefined) return null;
  appendAudit(connection, {
    tenantId,
    executionId: null,
    eventType: 'schedule_deleted',
    actorId,
    payload: { schedule_id: row.schedule_id, name: row.name },
  });
  return toSchedule(row);
}

function bindSpec(spec: ScheduleSpec): NamedBindings {
  return {
    workflow_id: spec.workflowId,
    workflow_version: spec.workflowVersion,
    input: JSON.stringify(spec.input),
    cron_expression: spec.cronExpression,
    every: spec.every,
    timezone: spec.timezone,
    overlap_policy: spec.overlapPolicy,
    catchup_window_secs: spec.catchupWindowSecs,
    paused: spec.paused ? 1 : 0,
  };
}
