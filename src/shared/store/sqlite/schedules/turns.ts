import type { TenantStatus } from '../../../domain/tenant.ts';
import type { DueSchedule, ScheduleStore, SettleStart, TurnSchedule } from '../../schedules.ts';
import { listScheduleColumns } from '../../rows/schedule-rows.ts';
import type { Connection } from '../connection/connect.ts';
import { toIso } from '../rows.ts';
import { bindPosition, toMillis, toSchedule, type ScheduleRecord } from './rows.ts';

const COLUMNS = listScheduleColumns('s');

export function listDueSchedules(
  connection: Connection,
  { limit, early }: Parameters<ScheduleStore['listDue']>[0],
): readonly DueSchedule[] {
  const now = connection.now();
  return connection
    .all<ScheduleRecord & { readonly tenant_status: TenantStatus; readonly last_is_live: 0 | 1 }>(
      `select ${COLUMNS},
         coalesce(t.status, 'active') as tenant_status,
         coalesce(e.status in ('running', 'paused'), 0) as last_is_live
       from schedules s
       left join tenants t on t.id = s.tenant_id
       left join executions e on e.id = s.last_execution_id
       where s.due_at <= :now
         or (s.waiting_fire_at is not null
           and s.starting_fire_at is null
           and s.schedule_id in (select value from json_each(:early)))
       order by s.due_at
       limit :limit`,
      { now, limit, early: JSON.stringify(early) },
    )
    .map((row) => ({
      schedule: toSchedule(row),
      now: toIso(now),
      tenantStatus: row.tenant_status,
      lastIsLive: row.last_is_live === 1,
    }));
}

export function nextDueInMs(connection: Connection): number | null {
  const row = connection.get<{ readonly due_at: number | null }>(
    'select min(due_at) as due_at from schedules where due_at is not null',
  );
  return row === undefined || row.due_at === null
    ? null
    : Math.max(0, row.due_at - connection.now());
}

export function turnSchedule(connection: Connection, params: TurnSchedule): boolean {
  const { scheduleId, turn, position, dueAt, counts, error } = params;
  const changed = connection.run(
    `update schedules
     set next_fire_at = :next_fire_at,
         waiting_fire_at = :waiting_fire_at,
         starting_fire_at = :starting_fire_at,
         late_fires = :late_fires,
         due_at = :due_at,
         started = started + :started,
         skipped = skipped + :skipped,
         missed = missed + :missed,
         failed = failed + :failed,
         last_error = coalesce(:error, last_error),
         turn = turn + 1
     where schedule_id = :schedule_id and turn = :turn`,
    {
      schedule_id: scheduleId,
      turn,
      ...bindPosition(position),
      ...counts,
      due_at: toMillis(dueAt),
      error,
    },
  );
  return changed > 0;
}

export function settleStart(connection: Connection, params: SettleStart): boolean {
  const { scheduleId, fireAt, outcome } = params;
  const executionId = 'executionId' in outcome ? outcome.executionId : null;
  const skipped = 'skipped' in outcome ? outcome.skipped : null;
  const error = 'error' in outcome ? outcome.error : null;
  const changed = connection.run(
    `update schedules
     set starting_fire_at = null,
         due_at = next_fire_at,
         last_fire_at = iif(:execution_id is null, last_fire_at, starting_fire_at),
         last_execution_id = coalesce(:execution_id, last_execution_id),
         last_error = coalesce(:error, :skipped),
         started = started + iif(:execution_id is null, 0, 1),
         skipped = skipped + iif(:skipped is null, 0, 1),
         failed = failed + iif(:error is null, 0, 1),
         turn = turn + 1
     where schedule_id = :schedule_id and starting_fire_at = :fire_at`,
    {
      schedule_id: scheduleId,
      fire_at: Date.parse(fireAt),
      execution_id: executionId,
      skipped,
      error,
    },
  );
  return changed > 0;
}
