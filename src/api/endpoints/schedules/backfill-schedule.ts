import { z } from 'zod';

import {
  BACKFILL_FIRES_MAX,
  backfillSchedule as backfill,
} from '../../../shared/engine/schedules/backfill-schedule.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionId, instant, omittable, timestamp } from '../../schemas/text.ts';
import { scheduleParam } from './schedule-shape.ts';

export const backfillSchedule = defineEndpoint({
  name: 'backfill-schedule',
  method: 'POST',
  path: '/schedules/:id/backfill',
  access: 'write',
  summary: 'Starts the executions of past fires of a schedule',
  note:
    'For fires that were missed, and for the time before the schedule existed. The caller starts them, ' +
    'also while the schedule is paused. The next fires stay, and the overlap policy does not count these ' +
    'executions. A fire that has started before is not started again, so the request may be repeated. If a ' +
    'start is refused after others, the answer says why in `stopped_by`, and `next_from` is where to ' +
    'continue.',
  params: scheduleParam,
  body: z.strictObject({
    from: instant.meta({ description: 'Fires from this instant on.' }),
    to: instant.meta({ description: 'Fires before this instant, which must have passed.' }),
    limit: omittable(
      z
        .int()
        .min(1, 'must be at least 1')
        .max(BACKFILL_FIRES_MAX, `must be at most ${BACKFILL_FIRES_MAX}`),
    ).meta({ description: `How many fires; ${BACKFILL_FIRES_MAX} by default.` }),
    dry_run: omittable(z.boolean()).meta({ description: 'Starts nothing; false by default.' }),
  }),
  replies: {
    200: z.object({
      fires: z
        .array(
          z.object({
            fire_at: timestamp,
            execution_id: executionId,
            outcome: z.enum(['started', 'existed', 'would_start']).meta({
              description: '`existed`: the fire has started before. `would_start`: of a dry run.',
            }),
          }),
        )
        .max(BACKFILL_FIRES_MAX)
        .meta({ description: 'Oldest first.' }),
      next_from: timestamp
        .nullable()
        .meta({ description: 'The first fire that is left, for `from` of the next request.' }),
      stopped_by: z
        .string()
        .nullable()
        .meta({ description: 'Why the fire at `next_from` was refused.' }),
    }),
  },
  errors: [400, 404, 409, 429],
  async handle({ caller, params, body }, { engine }) {
    const { fires, nextFrom, stoppedBy } = await backfill(engine, caller, {
      schedule: params.id,
      from: body.from,
      to: body.to,
      limit: body.limit ?? BACKFILL_FIRES_MAX,
      dryRun: body.dry_run ?? false,
    });
    return {
      status: 200,
      body: {
        fires: fires.map((fire) => ({
          fire_at: fire.fireAt,
          execution_id: fire.executionId,
          outcome: fire.outcome,
        })),
        next_from: nextFrom,
        stopped_by: stoppedBy,
      },
    };
  },
});
