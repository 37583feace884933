import { sql } from 'slonik';
import { z } from 'zod';

import type { Schedule } from '../../../domain/schedules/schedule.ts';
import {
  auditOf,
  type NewSchedule,
  type ScheduleRef,
  type ScheduleStore,
  type UpdateSchedule,
} from '../../schedules.ts';
import { appendAuditEntry, appendAuditOf } from '../audit/append.ts';
import type { Management } from '../connection/management.ts';
import { SCHEDULE_SELECTION, ScheduleRecord, toSchedule } from './rows.ts';
import { listDueSchedules, nextDueInMs, settleStart, turnSchedule } from './turns.ts';

const ClockRecord = z.object({ now: z.string() });

export function createScheduleStore(management: Management): ScheduleStore {
  return {
    now: () => readClock(management),
    create: (schedule) => createSchedule(management, schedule),
    find: (ref) => findSchedule(management, ref),
    list: (params) => listSchedules(management, params),
    update: (params) => updateSchedule(management, params),
    remove: (params) => removeSchedule(management, params),
    listDue: (params) => listDueSchedules(management, params),
    nextDueInMs: () => nextDueInMs(management),
    turn: (params) => turnSchedule(management, params),
    settleStart: (params) => settleStart(management, params),
  };
}

async function readClock(management: Management): Promise<string> {
  const [row] = await management.any(sql.type(ClockRecord)`
    select date_trunc('milliseconds', clock_timestamp()) as now`);
  if (row === undefined) throw new TypeError('the clock answers a row');
  return row.now;
}

async function createSchedule(
  management: Management,
  schedule: NewSchedule,
): Promise<Schedule | 'taken' | 'limited'> {
  const { scheduleId, tenantId, name, nextFireAt, actorId, schedulesMax } = schedule;
  const [row] = await management.any(
    sql.type(ScheduleRecord)`
      with added as (
        insert into schedules as s (
          schedule_id, tenant_id, name, workflow_id, workflow_version, input, cron_expression,
          every, timezone, overlap_policy, catchup_window_secs, paused, next_fire_at, due_at,
          created_at, updated_at
        )
        select ${scheduleId}::uuid, ${tenantId}, ${name}, ${schedule.workflowId},
          ${schedule.workflowVersion}, ${JSON.stringify(schedule.input)}::json,
          ${schedule.cronExpression}, ${schedule.every}, ${schedule.timezone},
          ${schedule.overlapPolicy}, ${schedule.catchupWindowSecs}::int4, ${schedule.paused},
          ${nextFireAt}::timestamptz, ${nextFireAt}::timestamptz, c.instant, c.instant
        from (select date_trunc('milliseconds', clock_timestamp()) as instant) c
        where (select count(*) from schedules o where o.tenant_id = ${tenantId}) < ${schedulesMax}
        on conflict (tenant_id, name) do nothing
        returning ${SCHEDULE_SELECTION}
      ),
      audited as (${appendAuditEntry(
        {
          tenantId,
          executionId: null,
          eventType: 'schedule_created',
          actorId,
          payload: auditOf(schedule),
        },
        sql.fragment`added`,
      )})
      select * from added`,
    { writes: true, tenant: tenantId },
  );
  if (row !== undefined) return toSchedule(row);
  const present = await findSchedule(management, { tenantId, schedule: name });
  return present === null ? 'limited' : 'taken';
}

async function findSchedule(
  management: Management,
  { tenantId, schedule }: ScheduleRef,
): Promise<Schedule | null> {
  const [row] = await management.any(
    sql.type(ScheduleRecord)`
      select ${SCHEDULE_SELECTION}
      from schedules s
      where s.tenant_id = ${tenantId}
        and (s.schedule_id::text = ${schedule} or s.name = ${schedule})`,
    { tenant: tenantId },
  );
  return row === undefined ? null : toSchedule(row);
}

async function listSchedules(
  management: Management,
  params: Parameters<ScheduleStore['list']>[0],
): Promise<readonly Schedule[]> {
  const { tenantId, limit, offset } = params;
  const rows = await management.any(
    sql.type(ScheduleRecord)`
      select ${SCHEDULE_SELECTION}
      from schedules s
      where s.tenant_id = ${tenantId}
      order by s.created_at desc, s.schedule_id desc
      limit ${limit}
      offset ${offset}`,
    { tenant: tenantId },
  );
  return rows.map(toSchedule);
}

async function updateSchedule(
  management: Management,
  params: UpdateSchedule,
): Promise<Schedule | null> {
  const { tenantId, scheduleId, name, turn, spec, position, dueAt, skipped, actorId } = params;
  const payload = auditOf({ ...spec, scheduleId, name });
  const [row] = await management.any(
    sql.type(ScheduleRecord)`
      with changed as (
        update schedules s
        set workflow_id = ${spec.workflowId},
          workflow_version = ${spec.workflowVersion},
          input = ${JSON.stringify(spec.input)}::json,
          cron_expression = ${spec.cronExpression},
          every = ${spec.every},
          timezone = ${spec.timezone},
          overlap_policy = ${spec.overlapPolicy},
          catchup_window_secs = ${spec.catchupWindowSecs}::int4,
          paused = ${spec.paused},
          next_fire_at = ${position.nextFireAt}::timestamptz,
          waiting_fire_at = ${position.waitingFireAt}::timestamptz,
          starting_fire_at = ${position.startingFireAt}::timestamptz,
          late_fires = ${position.lateFires}::int4,
          due_at = ${dueAt}::timestamptz,
          skipped = s.skipped + ${skipped}::int4,
          revision = s.revision + 1,
          turn = s.turn + 1,
          updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), s.updated_at)
        where s.schedule_id = ${scheduleId}::uuid
          and s.tenant_id = ${tenantId}
          and s.turn = ${turn}
        returning ${SCHEDULE_SELECTION}
      ),
      audited as (${appendAuditEntry(
        { tenantId, executionId: null, eventType: 'schedule_updated', actorId, payload },
        sql.fragment`changed`,
      )})
      select * from changed`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : toSchedule(row);
}

async function removeSchedule(
  management: Management,
  params: ScheduleRef & { readonly actorId: string },
): Promise<Schedule | null> {
  const { tenantId, schedule, actorId } = params;
  const [row] = await management.any(
    sql.type(ScheduleRecord)`
      with removed as (
        delete from schedules s
        where s.tenant_id = ${tenantId}
          and (s.schedule_id::text = ${schedule} or s.name = ${schedule})
        returning ${SCHEDULE_SELECTION}
      ),
      audited as (${appendAuditOf(
        { tenantId, executionId: null, eventType: 'schedule_deleted', actorId },
        {
          payload: sql.fragment`json_build_object('schedule_id', r.schedule_id, 'name', r.name)`,
          from: sql.fragment`removed r`,
        },
      )})
      select * from removed`,
    { writes: true, tenant: tenantId },
  );
  return row === undefined ? null : toSchedule(row);
}
