import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid } from '../../../domain/ids.ts';
import { OVERLAP_POLICIES, type Schedule } from '../../../domain/schedules/schedule.ts';
import { decodeSchedule, SCHEDULE_COLUMNS, type ScheduleRow } from '../../rows/schedule-rows.ts';

type Row = ScheduleRow<string, boolean>;

const VALUES = {
  text: z.string(),
  'text or null': z.string().nullable(),
  integer: z.int(),
  flag: z.boolean(),
  'overlap policy': z.enum(OVERLAP_POLICIES),
  instant: z.string(),
  'instant or null': z.string().nullable(),
};

type Shape = {
  readonly [
    Column in keyof typeof SCHEDULE_COLUMNS
  ]: (typeof VALUES)[(typeof SCHEDULE_COLUMNS)[Column]];
};

const shape = Object.fromEntries(
  Object.entries(SCHEDULE_COLUMNS).map(([name, value]) => [name, VALUES[value]]),
) as Shape;

export const ScheduleRecord = z.object(shape);

export const SCHEDULE_SELECTION = sql.join(
  Object.keys(SCHEDULE_COLUMNS).map((name) => sql.identifier(['s', name])),
  sql.fragment`, `,
);

export function toSchedule(row: Row): Schedule {
  return decodeSchedule(row, {
    toIso: (instant) => instant,
    isSet: (flag) => flag,
    toExecutionId: executionIdFromUuid,
  });
}
