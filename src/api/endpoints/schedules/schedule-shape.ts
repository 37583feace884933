import { z } from 'zod';

import {
  CATCHUP_WINDOW_SECS_MAX,
  NEXT_FIRES_SHOWN,
  OVERLAP_POLICIES,
} from '../../../shared/domain/schedules/schedule.ts';
import { CRON_CHARACTERS_MAX } from '../../../shared/domain/schedules/timing.ts';
import { badRequest } from '../../../shared/domain/errors.ts';
import type { ScheduleView } from '../../../shared/engine/schedules/schedule-view.ts';
import { anyObject, userObject } from '../../schemas/json-values.ts';
import { idParam } from '../../schemas/params.ts';
import { executionId, idText, timestamp } from '../../schemas/text.ts';

/** The same under both names. */
export const SCHEDULE_PATHS = ['/schedules', '/cron'] as const;
export type SchedulePath = (typeof SCHEDULE_PATHS)[number];

const NAME_CHARACTERS_MAX = 128;
const TIMEZONE_CHARACTERS_MAX = 64;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const scheduleParam = idParam('Id or name of the schedule.');

export const scheduleName = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_CHARACTERS_MAX, `must be at most ${NAME_CHARACTERS_MAX} characters`)
  .regex(/^[^\p{Cc}/]*$/u, 'must not hold control characters or slashes')
  .refine((name) => !UUID.test(name), 'must not look like an id')
  .meta({
    // The same, for readers of patterns that know no classes of Unicode.
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f/]*$',
    description: 'Unique in the tenant; a schedule keeps it.',
  });

/** The fields of a schedule that callers set. */
export const specFields = {
  workflow_id: idText,
  workflow_version: idText,
  input: userObject.meta({ description: 'Input of every execution; `{}` by default.' }),
  cron_expression: z
    .string()
    .max(CRON_CHARACTERS_MAX)
    .meta({
      description:
        'Five fields (minute, hour, day of month, month, day of week), or six with seconds first, ' +
        'or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Either this or `every`.',
    }),
  every: z.string().max(32).meta({
    description: 'An interval such as `15m`, counted from 1970-01-01T00:00:00Z.',
  }),
  timezone: z.string().max(TIMEZONE_CHARACTERS_MAX).meta({
    description: 'IANA time zone of the cron expression; `UTC` by default.',
  }),
  overlap_policy: z.enum(OVERLAP_POLICIES).meta({
    description:
      'How to treat a fire while the latest execution is live: `skip` (the default) drops ' +
      'it, `queue` lets one wait, `allow` starts it, `cancel_previous` cancels that execution ' +
      'first.',
  }),
  catchup_window_secs: z
    .int()
    .min(0, 'must be at least 0')
    .max(CATCHUP_WINDOW_SECS_MAX, `must be at most ${CATCHUP_WINDOW_SECS_MAX}`)
    .meta({
      description:
        'A fire that is later than this is dropped; 60 by default, 0 drops all missed fires.',
    }),
  paused: z.boolean(),
  enabled: z.boolean().meta({ description: 'The opposite of `paused`.' }),
} as const;

export const scheduleShape = z.object({
  schedule_id: z.string(),
  name: z.string(),
  workflow_id: z.string(),
  workflow_version: z
    .string()
    .nullable()
    .meta({ description: 'Null: the latest registered version at each fire.' }),
  input: anyObject,
  cron_expression: z.string().nullable(),
  every: z.string().nullable(),
  timezone: z.string(),
  overlap_policy: z.enum(OVERLAP_POLICIES),
  catchup_window_secs: z.int(),
  paused: z.boolean(),
  revision: z.int().meta({ description: 'Counts the changes, from 1.' }),
  next_run_at: timestamp
    .nullable()
    .meta({ description: 'The first of `next_fires`; null while it is paused.' }),
  next_fires: z
    .array(timestamp)
    .max(NEXT_FIRES_SHOWN)
    .meta({ description: `The next ${NEXT_FIRES_SHOWN}; none while it is paused.` }),
  waiting_fire_at: timestamp
    .nullable()
    .meta({ description: 'The fire that waits for the end of the last execution.' }),
  last_fire_at: timestamp.nullable().meta({ description: 'The last fire that was started.' }),
  last_execution_id: executionId.nullable(),
  last_error: z
    .string()
    .nullable()
    .meta({ description: 'Why the last fire could not start; null: it started.' }),
  fires: z.object({
    started: z.int(),
    skipped: z
      .int()
      .meta({ description: 'Dropped because an execution was live, or refused by `concurrency`.' }),
    missed: z.int().meta({ description: 'Dropped as too late; up to 1000 for one outage.' }),
    failed: z.int().meta({ description: 'Could not be started.' }),
  }),
  created_at: timestamp,
  updated_at: timestamp,
});

export function shapeSchedule({
  schedule,
  nextFires,
}: ScheduleView): z.input<typeof scheduleShape> {
  return {
    schedule_id: schedule.scheduleId,
    name: schedule.name,
    workflow_id: schedule.workflowId,
    workflow_version: schedule.workflowVersion,
    input: schedule.input,
    cron_expression: schedule.cronExpression,
    every: schedule.every,
    timezone: schedule.timezone,
    overlap_policy: schedule.overlapPolicy,
    catchup_window_secs: schedule.catchupWindowSecs,
    paused: schedule.paused,
    revision: schedule.revision,
    next_run_at: nextFires[0] ?? null,
    next_fires: [...nextFires],
    waiting_fire_at: schedule.position.waitingFireAt,
    last_fire_at: schedule.lastFireAt,
    last_execution_id: schedule.lastExecutionId,
    last_error: schedule.lastError,
    fires: { ...schedule.counts },
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
  };
}

/** Whether to pause it, from either field; null: not given. */
export function readPaused(body: {
  readonly paused: boolean | null;
  readonly enabled: boolean | null;
}): boolean | null {
  const { paused, enabled } = body;
  if (paused !== null && paused === enabled) {
    throw badRequest('paused and enabled contradict each other: send one of them');
  }
  return paused ?? (enabled === null ? null : !enabled);
}

/** The operation id under a path: `create-schedule`, `create-cron`. */
export function nameOf(verb: string, path: SchedulePath): string {
  return `${verb}-${path === '/cron' ? 'cron' : 'schedule'}`;
}

/** Told where the second name is described. */
export function noteOf(path: SchedulePath, note: string): string {
  return path === '/cron' ? `The same as \`/schedules\`, under another name. ${note}` : note;
}
