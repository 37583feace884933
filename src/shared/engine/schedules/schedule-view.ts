import { notFound } from '../../domain/errors.ts';
import { NEXT_FIRES_SHOWN, type Schedule } from '../../domain/schedules/schedule.ts';
import { nextFires } from '../../domain/schedules/timing.ts';

export interface ScheduleView {
  readonly schedule: Schedule;
  /** None while it is paused. */
  readonly nextFires: readonly string[];
}

export interface ScheduleName {
  /** Id or name. */
  readonly schedule: string;
}

export function viewOf(schedule: Schedule): ScheduleView {
  const { nextFireAt } = schedule.position;
  if (nextFireAt === null) return { schedule, nextFires: [] };
  const further = nextFires(schedule, { after: nextFireAt, count: NEXT_FIRES_SHOWN - 1 });
  return { schedule, nextFires: [nextFireAt, ...further] };
}

export function missing({ schedule }: ScheduleName): never {
  throw notFound(`schedule ${schedule}`);
}
