import type { ExecutionId } from '../../../domain/ids.ts';
import type { Schedule, SchedulePosition } from '../../../domain/schedules/schedule.ts';
import { decodeSchedule, type ScheduleRow } from '../../rows/schedule-rows.ts';
import type { NamedBindings } from '../connection/connect.ts';
import { toIso } from '../rows.ts';

export type ScheduleRecord = ScheduleRow<number, 0 | 1>;

export function toSchedule(row: ScheduleRecord): Schedule {
  return decodeSchedule(row, {
    toIso,
    isSet: (flag) => flag === 1,
    toExecutionId: (text) => text as ExecutionId,
  });
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
