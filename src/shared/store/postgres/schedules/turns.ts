import { sql } from 'slonik';
import { z } from 'zod';

import { TENANT_STATUSES } from '../../../domain/tenant.ts';
import type { DueSchedule, ScheduleStore, SettleStart, TurnSchedule } from '../../schedules.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';
import { SCHEDULE_SELECTION, ScheduleRecord, toSchedule } from './rows.ts';

const DueRecord = ScheduleRecord.extend({
  tenant_status: z.enum(TENANT_STATUSES),
  last_is_live: z.boolean(),
  now: z.string(),
});
const NextRecord = z.object({ due_in_ms: z.int().nullable() });
const IdRecord = z.object({ schedule_id: z.string() });

export async function listDueSchedules(
  management: Management,
  { limit, early }: Parameters<ScheduleStore['listDue']>[0],
): Promise<readonly DueSchedule[]> {
  const rows = await management.any(sql.type(DueRecord)`
    with clock as materialized (
      select clock_timestamp() as instant
    ),
    due as materialized (
      (
        select o.schedule_id
        from schedules o
        where o.due_at <= (select instant from clock)
        order by o.due_at
        limit ${limit}
      )
      union
      select o.schedule_id
      from schedules o
      where o.schedule_id = any(${sql.array([...early], 'uuid')})
        and o.waiting_fire_at is not null
        and o.starting_fire_at is null
    )
    select ${SCHEDULE_SELECTION},
      coalesce(t.status, 'active') as tenant_status,
      coalesce(e.status in ('running', 'paused'), false) as last_is_live,
      (select date_trunc('milliseconds', instant) from clock) as now
    from due d
    join schedules s on s.schedule_id = d.schedule_id
    left join tenants t on t.id = s.tenant_id
    left join executions e on e.id = s.last_execution_id
    order by s.due_at
    limit ${limit}`);
  return rows.map((row) => ({
    schedule: toSchedule(row),
    now: row.now,
    tenantStatus: row.tenant_status,
    lastIsLive: row.last_is_live,
  }));
}

export async function nextDueInMs(management: Management): Promise<number | null> {
  const [row] = await management.any(sql.type(NextRecord)`
    select greatest(
      case when n.due_at is null then null else 0 end,
      ceil(extract(epoch from n.due_at - clock_timestamp()) * 1000)
    )::int8 as due_in_ms
    from (
      select min(s.due_at) as due_at
      from schedules s
      where s.due_at is not null
    ) n`);
  return row?.due_in_ms ?? null;
}

export async function turnSchedule(management: Management, params: TurnSchedule): Promise<boolean> {
  const { scheduleId, turn, position, dueAt, counts, error } = params;
  const rows = await management.any(
    sql.type(IdRecord)`
      update schedules s
      set next_fire_at = ${position.nextFireAt}::timestamptz,
        waiting_fire_at = ${position.waitingFireAt}::timestamptz,
        starting_fire_at = ${position.startingFireAt}::timestamptz,
        late_fires = ${position.lateFires}::int4,
        due_at = ${dueAt}::timestamptz,
        started = s.started + ${counts.started}::int4,
        skipped = s.skipped + ${counts.skipped}::int4,
        missed = s.missed + ${counts.missed}::int4,
        failed = s.failed + ${counts.failed}::int4,
        last_error = coalesce(${error}, s.last_error),
        turn = s.turn + 1
      where s.schedule_id = ${scheduleId}::uuid
        and s.turn = ${turn}
      returning s.schedule_id`,
    { writes: true },
  );
  return rows.length > 0;
}

export async function settleStart(management: Management, params: SettleStart): Promise<boolean> {
  const { scheduleId, fireAt, outcome } = params;
  const executionId = 'executionId' in outcome ? toUuid(outcome.executionId) : null;
  const skipped = 'skipped' in outcome ? outcome.skipped : null;
  const error = 'error' in outcome ? outcome.error : null;
  const rows = await management.any(
    sql.type(IdRecord)`
      update schedules s
      set starting_fire_at = null,
        due_at = s.next_fire_at,
        last_fire_at = case
          when ${executionId}::uuid is null then s.last_fire_at
          else s.starting_fire_at
        end,
        last_execution_id = coalesce(${executionId}::uuid, s.last_execution_id),
        last_error = coalesce(${error}::text, ${skipped}::text),
        started = s.started + case when ${executionId}::uuid is null then 0 else 1 end,
        skipped = s.skipped + case when ${skipped}::text is null then 0 else 1 end,
        failed = s.failed + case when ${error}::text is null then 0 else 1 end,
        turn = s.turn + 1
      where s.schedule_id = ${scheduleId}::uuid
        and s.starting_fire_at = ${fireAt}::timestamptz
      returning s.schedule_id`,
    { writes: true },
  );
  return rows.length > 0;
}
